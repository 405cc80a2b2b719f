import { useCallback, useEffect, useRef, useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { Problem } from "../../api/problem";
import { onceKey, fetchJSON } from "../../api/client";
import { Badge } from "../../parts/Badge";
import { Icon } from "../../parts/Icon";
import { Loaded, Notice, explain } from "../../parts/states";
import { Time } from "../../parts/Time";
import { readFile, useCamera } from "./camera";
import { scan, useOut, type Pass } from "./data";
import { enqueue, flush, queued, storedKit, syncKit, verify, type Kit, type Verdict } from "./offline";
import { StatusBadge } from "./Status";

type Held = { number: string; token: string; verdict?: Verdict; pass?: Pass };
type Said = { tone: "ok" | "bad" | "warn"; text: string };

/** The gate's page, for a phone: read a code or type a number, take a photo, let out or in. */
export function Gate() {
  const [held, setHeld] = useState<Held>();
  const [photo, setPhoto] = useState<Blob>();
  const [said, setSaid] = useState<Said>();
  const [busy, setBusy] = useState(false);
  const line = useLine();
  const client = useQueryClient();
  const take = useCallback(async (text: string) => setHeld(await look(text, line.kit)), [line.kit]);
  const camera = useCamera(held ? undefined : take);

  const done = (next: Said) => {
    setSaid(next);
    setHeld(undefined);
    setPhoto(undefined);
    void client.invalidateQueries({ queryKey: ["app", "gatepass"] });
  };
  const record = async (op: "exit" | "return") => {
    if (!held || !photo) return;
    setBusy(true);
    const key = onceKey();
    try {
      const p = await scan(op, held.number, photo, key);
      done({ tone: "ok", text: op === "exit" ? `${p.person_name} went out with ${p.pass_number}.` : `${p.person_name} came back with ${p.pass_number}.` });
    } catch (e) {
      if (!(e instanceof Problem) || e.status !== 0) setSaid({ tone: "bad", text: explain(e).title });
      else done(await keep(op, held, photo, key, line.kit));
      await line.refresh();
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="gp-gate stack">
      <Line {...line} />
      {said && <div className={`gp-said ${said.tone}`} role="status"><Icon name={said.tone === "ok" ? "check" : "warning"} size={22} /> {said.text}</div>}
      <section className="panel gp-camera">
        {camera.on ? <video ref={camera.video} playsInline muted aria-label="What the camera sees" /> : <button type="button" className="button primary gp-big" onClick={() => void camera.start()}><Icon name="image" size={22} /> Open the camera</button>}
        {camera.problem && <Notice tone="warn">{camera.problem}</Notice>}
      </section>
      {!held && <Find take={take} />}
      {held && (
        <section className="panel gp-held" aria-label="The pass">
          <Card held={held} />
          <Shot photo={photo} camera={camera.on} shoot={async () => setPhoto(await camera.shoot())} choose={setPhoto} />
          <div className="gp-buttons">
            <button type="button" className="button primary gp-big" disabled={!photo || busy || !may(held, "exit")} onClick={() => void record("exit")}>Let out</button>
            <button type="button" className="button gp-big gp-in" disabled={!photo || busy || !may(held, "return")} onClick={() => void record("return")}>Let in</button>
          </div>
          {!photo && <p className="muted center">Take a photo of the person first.</p>}
          <button type="button" className="button quiet gp-wide" onClick={() => { setHeld(undefined); setPhoto(undefined); }}>Another pass</button>
        </section>
      )}
      <Out />
    </div>
  );
}

/** Reads a code or a number: the server's word if it can be reached, the kit's otherwise. */
async function look(text: string, kit: Kit | undefined): Promise<Held> {
  const number = /^\s*(?:gp[-\s/]?)?(\d{4})[-\s/](\d{1,7})\s*$/i.exec(text);
  const token = number ? "" : text;
  try {
    if (number) {
      const n = `GP-${number[1]}-${number[2].padStart(4, "0")}`;
      return { number: n, token: "", pass: await fetchJSON<Pass>(`/gate/gatepass/number/${n}`) };
    }
    const c = await fetchJSON<Verdict & { pass_number?: string; pass?: Pass }>("/gate/verify", { method: "POST", json: { token } });
    return { number: c.pass_number ?? "", token, verdict: c, pass: c.pass };
  } catch (e) {
    if (!(e instanceof Problem) || e.status !== 0) return { number: "", token, verdict: { valid: false, code: "unknown", reason: explain(e).title } };
    if (number) return { number: `GP-${number[1]}-${number[2].padStart(4, "0")}`, token: "" };
    if (!kit) return { number: "", token, verdict: { valid: false, code: "no_kit", reason: "The server cannot be reached and this gate was never synced." } };
    const v = await verify(token, kit, new Date());
    return { number: v.token?.n ?? "", token, verdict: v };
  }
}

/** Whether the button for op makes sense; the server decides. */
function may(h: Held, op: "exit" | "return"): boolean {
  if (h.number === "" || (h.verdict && !h.verdict.valid && h.verdict.code !== "expired")) return false;
  if (h.pass) return h.pass.status === (op === "exit" ? "approved" : "exited") && (op === "exit" || h.pass.is_returnable);
  const out = storedKit()?.out.includes(h.number) ?? false;
  return op === "exit" ? !out && h.token !== "" : true;
}

/** Keeps a scan for later, marked as not verified. */
async function keep(op: "exit" | "return", h: Held, photo: Blob, key: string, kit: Kit | undefined): Promise<Said> {
  if (op === "exit" && kit?.out.includes(h.number)) return { tone: "bad", text: `${h.number} is already out. Do not let the person through.` };
  await enqueue({ scan: key, token: h.token, pass_number: h.number, operation: op, gate: "gate page", at: new Date().toISOString(), photo: await base64(photo) });
  if (kit) {
    kit.out = op === "exit" ? [...kit.out, h.number] : kit.out.filter((n) => n !== h.number);
    localStorage.setItem("gatepass.kit", JSON.stringify(kit));
  }
  return { tone: "warn", text: `The server cannot be reached. ${h.number} is kept as unverified and handed in as soon as it can be.` };
}

async function base64(b: Blob): Promise<string> {
  let out = "";
  for (const x of new Uint8Array(await b.arrayBuffer())) out += String.fromCharCode(x);
  return btoa(out);
}

/** The connection: the kit, and what waits to be handed in. */
function useLine() {
  const [kit, setKit] = useState<Kit | undefined>(storedKit);
  const [waiting, setWaiting] = useState(0);
  const [online, setOnline] = useState(true);
  const [notes, setNotes] = useState<string[]>([]);
  const busy = useRef(false);
  const refresh = useCallback(async () => {
    if (busy.current) return;
    busy.current = true;
    try {
      const done = await flush();
      setNotes((n) => [...n, ...done.filter((r) => r.outcome === "refused").map((r) => `${r.pass_number}: ${r.reason ?? "refused"}`)].slice(-5));
      setKit(await syncKit());
      setOnline(true);
    } catch (e) {
      setOnline(!(e instanceof Problem && e.status === 0));
    } finally {
      busy.current = false;
      setWaiting((await queued().catch(() => [])).length);
    }
  }, []);
  useEffect(() => {
    void refresh();
    const timer = setInterval(() => void refresh(), 20_000);
    window.addEventListener("online", refresh);
    return () => {
      clearInterval(timer);
      window.removeEventListener("online", refresh);
    };
  }, [refresh]);
  return { kit, waiting, online, notes, refresh };
}

function Line({ kit, waiting, online, notes, refresh }: ReturnType<typeof useLine>) {
  return (
    <div className="stack tight">
      <div className="row between gp-line">
        <span className="row">
          {online ? <Badge tone="ok" icon="check">Connected</Badge> : <Badge tone="warn" icon="warning">Offline</Badge>}
          {waiting > 0 && <Badge tone="warn" icon="clock">{`${waiting} unverified`}</Badge>}
          {kit && <span className="small muted">list of <Time at={kit.revocations.issued} /></span>}
        </span>
        <button type="button" className="button small" onClick={() => void refresh()}>Sync</button>
      </div>
      {notes.map((n) => <Notice key={n} tone="bad">An offline scan was refused: {n}</Notice>)}
    </div>
  );
}

function Find({ take }: { take: (text: string) => Promise<void> }) {
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState("");
  const file = async (f: File | undefined) => {
    const code = f && (await readFile(f));
    setWrong(code ? "" : "There is no QR code in this picture.");
    if (code) await take(code);
  };
  return (
    <section className="panel gp-find">
      <p className="muted center">Hold the code of the pass before the camera, or</p>
      <form className="gp-number" onSubmit={(e) => { e.preventDefault(); void take(text); }}>
        <input className="input gp-input" aria-label="Pass number" placeholder="GP-2026-0012" autoCapitalize="characters" value={text} onChange={(e) => setText(e.target.value)} />
        <button type="submit" className="button primary gp-big" disabled={text.trim() === ""}>Look up</button>
      </form>
      <label className="button quiet gp-wide">Read a picture of a code<input type="file" accept="image/*" className="visually-hidden" onChange={(e) => void file(e.target.files?.[0])} /></label>
      {wrong && <Notice tone="warn">{wrong}</Notice>}
    </section>
  );
}

function Card({ held: h }: { held: Held }) {
  const p = h.pass;
  return (
    <div className="stack tight">
      {h.verdict && <div className={`gp-said ${h.verdict.valid ? "ok" : "bad"}`} role="status"><Icon name={h.verdict.valid ? "check" : "warning"} size={20} /> {h.verdict.reason}</div>}
      {p ? (
        <>
          <div className="row between"><h2 className="gp-name">{p.person_name}</h2><StatusBadge status={p.status} /></div>
          <p className="muted">{p.pass_number} · {p.description}</p>
          {p.exit_time && <p>Went out <Time at={p.exit_time} />{p.return_by && <>, expected back <Time at={p.return_by} /></>}</p>}
        </>
      ) : (
        h.number && <h2 className="gp-name">{h.number}</h2>
      )}
    </div>
  );
}

function Shot({ photo, camera, shoot, choose }: { photo?: Blob; camera: boolean; shoot: () => Promise<void>; choose: (b: Blob | undefined) => void }) {
  const [url, setURL] = useState("");
  useEffect(() => {
    if (!photo) return setURL("");
    const u = URL.createObjectURL(photo);
    setURL(u);
    return () => URL.revokeObjectURL(u);
  }, [photo]);
  return (
    <div className="gp-shot">
      {url && <img src={url} alt="The photo that was taken" />}
      {camera && <button type="button" className="button gp-big" onClick={() => void shoot()}><Icon name="image" size={20} /> {photo ? "Take it again" : "Take a photo"}</button>}
      <label className="button quiet gp-wide">{camera ? "Or choose a photo" : "Choose or take a photo"}<input type="file" accept="image/jpeg,image/png,image/heic" capture="environment" className="visually-hidden" onChange={(e) => choose(e.target.files?.[0])} /></label>
    </div>
  );
}

function Out() {
  const out = useOut();
  return (
    <section className="panel">
      <header><h2>Out now</h2></header>
      <Loaded query={out} lines={3}>
        {(p) => p.items.length === 0 ? <p className="muted body">Nobody is out.</p> : (
          <ul className="gp-out">{p.items.map((x) => <li key={x.id} className={late(x) ? "late" : ""}><span className="strong">{x.person_name}</span><span className="muted">{x.pass_number}</span><span>{late(x) && <Badge tone="bad" icon="clock">Late</Badge>} <Time at={x.return_by ?? x.exit_time} /></span></li>)}</ul>
        )}
      </Loaded>
    </section>
  );
}

const late = (p: Pass) => p.return_by !== undefined && new Date(p.return_by) < new Date();
