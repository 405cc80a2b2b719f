import { useState, type FormEvent } from "react";
import { Link } from "wouter";
import type { LabelItem } from "../../api/types";
import { useAppTitle } from "../../hooks/apps";
import { useLabel, useLabels } from "../../hooks/evals";
import { useHas } from "../../hooks/session";
import { Icon } from "../../parts/Icon";
import { Fields } from "../../parts/Json";
import { Empty, ErrorBox, Loaded } from "../../parts/states";
import { Time } from "../../parts/Time";
import { tell } from "../../parts/toast";

/** What people should look at, the most useful first: was it right? */
export function Labels() {
  const labels = useLabels();
  return (
    <Loaded query={labels} lines={8}>
      {(all) => all.length === 0 ? (
        <div className="panel"><Empty icon="check" title="Nothing waits to be labelled.">Surprising or disputed answers are put here, so that the suites grow with what people know.</Empty></div>
      ) : <div className="stack">{all.map((l) => <Item key={l.id} item={l} />)}</div>}
    </Loaded>
  );
}

function Item({ item }: { item: LabelItem }) {
  const label = useLabel();
  const title = useAppTitle();
  const reads = useHas("auditor") && !useHas("admin");
  const [wrong, setWrong] = useState(false);
  const [note, setNote] = useState("");
  const [right, setRight] = useState("");
  const [bad, setBad] = useState("");
  const send = (good: boolean, answer?: unknown) => label.mutate({ id: item.id, good, right: answer, note: note.trim() || undefined }, { onSuccess: () => tell("Thank you. It is kept as an example.") });
  const submit = (e: FormEvent) => {
    e.preventDefault();
    try {
      send(false, right.trim() ? JSON.parse(right) : undefined);
      setBad("");
    } catch {
      setBad("What is right must be JSON, in the form of what it answered.");
    }
  };
  return (
    <article className="card">
      <p className="row small muted"><span>{title(item.app)}</span>{item.suite && <code>{item.suite}</code>}{item.case && <Link href={`/cases/${item.case}`}>{item.case}</Link>}{item.run && <Link href={`/runs/${item.run}`}>The run</Link>}<Time at={item.queued} /></p>
      <p className="strong">{item.why}</p>
      <div className="compare">
        <div><p className="small muted">{item.drafted ? "A model wrote" : "It was given"}</p><Fields value={item.input} /></div>
        <div>{item.got !== undefined && <><p className="small muted">It answered</p><Fields value={item.got} /></>}{item.want !== undefined && <><p className="small muted">{item.drafted ? "By the reference policy, right is" : "By what people did, right is"}</p><Fields value={item.want} /></>}</div>
      </div>
      {label.error && <ErrorBox error={label.error} />}
      {bad && <p className="wrong">{bad}</p>}
      {!reads && (
        <form className="row" onSubmit={submit}>
          <button type="button" className="button" disabled={label.isPending} onClick={() => send(true)}><Icon name="check" /> That was right</button>
          {!wrong && <button type="button" className="button danger" onClick={() => setWrong(true)}><Icon name="cross" /> That was wrong</button>}
          {wrong && <><input className="input grow" aria-label="What it should have been" placeholder="What should it have been, and why?" required maxLength={2000} value={note} onChange={(e) => setNote(e.target.value)} />{item.suite && <input className="input grow" aria-label="The right answer, as JSON" placeholder={`The right answer as JSON, to add it to ${item.suite}`} value={right} onChange={(e) => setRight(e.target.value)} />}<button type="submit" className="button danger" disabled={label.isPending}>Send</button></>}
        </form>
      )}
    </article>
  );
}
