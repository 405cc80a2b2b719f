import { useCallback, useEffect, useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { onceKey } from "../../api/client";
import { Badge } from "../../parts/Badge";
import { Icon } from "../../parts/Icon";
import { Loaded, Notice, explain } from "../../parts/states";
import { Time } from "../../parts/Time";
import { readFile, smaller, useCamera } from "./camera";
import { scan, useOut, type Pass } from "./data";
import { Line, useLine, useWorker } from "./line";
import { alreadyOut, keep, look, may, outSince, type Held, type Said } from "./look";
import { unreached, type Exit } from "./offline";
import { StatusBadge } from "./Status";

/**
 * The gate's page, for a phone: read a code or type a number, take a photo, let out or
 * in. Alone it stands without the console around it, because the server is away.
 */
export function Gate({ alone = false }: { alone?: boolean }) {
  const [held, setHeld] = useState<Held>();
  const [photo, setPhoto] = useState<Blob>();
  const [said, setSaid] = useState<Said>();
  const [busy, setBusy] = useState(false);
  const line = useLine(alone);
  useWorker();
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
      if (!unreached(e)) setSaid({ tone: "bad", text: explain(e).title });
      else await keep(op, held, photo, key).then(done, () => setSaid({ tone: "bad", text: "The server cannot be reached, and this browser cannot keep the scan. Write it down and try again." }));
      await line.refresh();
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="gp-gate stack">
      <Line {...line} alone={alone} />
      {said && <div className={`gp-said ${said.tone}`} role="status"><Icon name={said.tone === "ok" ? "check" : "warning"} size={22} /> {said.text}</div>}
      <section className={`panel gp-camera ${held && camera.on ? (photo ? "seen" : "small") : ""}`}>
        {camera.on ? <video ref={camera.video} playsInline muted aria-label="What the camera sees" /> : <button type="button" className="button primary gp-big" onClick={() => void camera.start()}><Icon name="image" size={22} /> Open the camera</button>}
        {camera.problem && <Notice tone="warn">{camera.problem}</Notice>}
      </section>
      {!held && <Find take={take} />}
      {held && (
        <section className="panel gp-held" aria-label="The pass">
          <Card held={held} />
          <Shot photo={photo} camera={camera.on} shoot={async () => setPhoto(await camera.shoot())} choose={async (b) => setPhoto(b && (await smaller(b)))} />
          <div className="gp-buttons">
            <button type="button" className="button primary gp-big" disabled={!photo || busy || !may(held, "exit")} onClick={() => void record("exit")}>Let out</button>
            <button type="button" className="button gp-big gp-in" disabled={!photo || busy || !may(held, "return")} onClick={() => void record("return")}>Let in</button>
          </div>
          {!photo && <p className="muted center">Take a photo of the person first.</p>}
          <button type="button" className="button quiet gp-wide" onClick={() => { setHeld(undefined); setPhoto(undefined); }}>Another pass</button>
        </section>
      )}
      {line.state === "offline" ? <OutHere exits={line.kit?.out ?? []} /> : <Out />}
    </div>
  );
}

function Find({ take }: { take: (text: string) => Promise<void> }) {
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState("");
  const file = async (f: File | undefined) => {
    const code = f && (await readFile(f).catch(() => undefined)); // not every file is a picture
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
  const since = outSince(h);
  return (
    <div className="stack tight">
      {h.verdict && <div className={`gp-said ${h.verdict.valid ? "ok" : "bad"}`} role="status"><Icon name={h.verdict.valid ? "check" : "warning"} size={20} /> {h.verdict.reason}</div>}
      {since && !p?.is_returnable && <div className="gp-said bad" role="alert"><Icon name="warning" size={20} /> {alreadyOut(h.number, since)}</div>}
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

function Shot({ photo, camera, shoot, choose }: { photo?: Blob; camera: boolean; shoot: () => Promise<void>; choose: (b: Blob | undefined) => Promise<void> }) {
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
      <label className="button quiet gp-wide">{camera ? "Or choose a photo" : "Choose or take a photo"}<input type="file" accept="image/jpeg,image/png,image/heic" capture="environment" className="visually-hidden" onChange={(e) => void choose(e.target.files?.[0])} /></label>
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

/** Who is out as far as this gate knows, by number: names stay with the office. */
function OutHere({ exits }: { exits: Exit[] }) {
  return (
    <section className="panel">
      <header><h2>Out now, as this gate knows</h2></header>
      {exits.length === 0 ? <p className="muted body">Nobody.</p> : <ul className="gp-out">{exits.map((x) => <li key={x.pass_number}><span className="strong">{x.pass_number}</span><span /><Time at={x.exit_time} /></li>)}</ul>}
    </section>
  );
}

const late = (p: Pass) => p.return_by !== undefined && new Date(p.return_by) < new Date();
