import { useCallback, useEffect, useRef, useState } from "react";
import { Problem } from "../../api/problem";
import { Badge } from "../../parts/Badge";
import { Notice } from "../../parts/states";
import { Time } from "../../parts/Time";
import { flush, queued, storedKit, syncKit, unreached, type Kit, type Queued } from "./offline";

type State = "online" | "offline" | "signed_out";

/** The connection: the kit, and what waits to be handed in. */
export function useLine(alone: boolean) {
  const [kit, setKit] = useState<Kit | undefined>(storedKit);
  const [waiting, setWaiting] = useState<Queued[]>([]);
  const [state, setState] = useState<State>(alone ? "offline" : "online");
  const [notes, setNotes] = useState<string[]>([]);
  const busy = useRef(false);
  const refresh = useCallback(async () => {
    if (busy.current) return;
    busy.current = true;
    try {
      const done = await flush();
      setNotes((n) => [...n, ...done.filter((r) => r.outcome === "refused").map((r) => `${r.pass_number}: ${r.reason ?? "refused"}`)].slice(-5));
      setKit(await syncKit());
      setState("online");
    } catch (e) {
      setState(unreached(e) ? "offline" : e instanceof Problem && e.status === 401 ? "signed_out" : "online");
      setKit(storedKit());
    } finally {
      busy.current = false;
      setWaiting(await queued().catch(() => []));
    }
  }, []);
  useEffect(() => {
    void refresh();
    const again = () => void refresh();
    const timer = setInterval(again, 20_000);
    window.addEventListener("online", again);
    window.addEventListener("offline", again);
    return () => {
      clearInterval(timer);
      window.removeEventListener("online", again);
      window.removeEventListener("offline", again);
    };
  }, [refresh]);
  return { kit, waiting, state, notes, refresh };
}

const looks = { online: ["ok", "check", "Connected"], offline: ["warn", "warning", "Offline"], signed_out: ["bad", "warning", "Signed out"] } as const;

/** Says how the gate is connected and what it still owes the office. */
export function Line({ kit, waiting, state, notes, refresh, alone }: ReturnType<typeof useLine> & { alone: boolean }) {
  const [tone, icon, word] = looks[state];
  return (
    <div className="stack tight">
      <div className="row between gp-line">
        <span className="row">
          <Badge tone={tone} icon={icon}>{word}</Badge>
          {waiting.length > 0 && <Badge tone="warn" icon="clock">{`${waiting.length} unverified`}</Badge>}
          {kit && <span className="small muted">list of <Time at={kit.revocations.issued} /></span>}
        </span>
        <button type="button" className="button small" onClick={() => void refresh()}>Sync</button>
      </div>
      {waiting.length > 0 && (
        <ul className="gp-waiting small" aria-label="Waiting to be handed in">
          {waiting.map((q) => <li key={q.scan}>{q.pass_number} {q.operation === "exit" ? "went out" : "came back"} <Time at={q.at} />, unverified</li>)}
        </ul>
      )}
      {notes.map((n) => <Notice key={n} tone="bad">An offline scan was refused: {n}</Notice>)}
      {alone && state !== "offline" && <Notice>{state === "signed_out" ? "The server is back. Sign in to hand in what waits. " : "The server is back. "}<a href="/apps/gatepass/gate">Open the console</a></Notice>}
    </div>
  );
}

/** Lets the gate's page be opened without the server from now on. */
export function useWorker() {
  useEffect(() => {
    if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
    navigator.serviceWorker.register("/gate-worker.js", { scope: "/apps/gatepass/gate", updateViaCache: "none" }).catch((e: unknown) => {
      console.warn("The gate cannot be opened offline:", e);
    });
  }, []);
}
