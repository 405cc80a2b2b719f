import { useId, useState, type FormEvent } from "react";
import { useCheckpoints, useSeal, useVerifyBundle } from "../../hooks/ledger";
import { useHas } from "../../hooks/session";
import { number } from "../../lib/format";
import { Icon } from "../../parts/Icon";
import { Page } from "../../parts/Page";
import { Empty, ErrorBox, explain, Loaded } from "../../parts/states";
import { Table } from "../../parts/Table";
import { Time } from "../../parts/Time";
import { tell } from "../../parts/toast";
import { ReportView } from "../case/VerifyTab";

/** The proof of everything: signed checkpoints, and a place to verify bundles. */
export default function Ledger() {
  const checkpoints = useCheckpoints();
  const seal = useSeal();
  const admin = useHas("admin");
  return (
    <Page
      title="Ledger"
      lead="Evidence is chained per case: an altered entry breaks every seal after it. Checkpoints sign the heads of all chains."
      actions={admin && <button type="button" className="button" disabled={seal.isPending} onClick={() => seal.mutate(undefined, { onSuccess: (r) => tell(r.made ? "A checkpoint was made." : "Everything is covered already.", r.made ? "ok" : "info"), onError: (e) => tell(explain(e).title, "bad") })}><Icon name="shield" /> Make a checkpoint</button>}
    >
      <VerifyFile />
      <section className="panel" aria-labelledby="checkpoints">
        <header><h2 id="checkpoints">Checkpoints</h2></header>
        <Loaded query={checkpoints} lines={6}>
          {(c) => (
            <>
              <Table
                caption="Checkpoints"
                rows={c.items}
                rowKey={(k) => String(k.number)}
                empty={<Empty icon="ledger" title="No checkpoint has been made yet.">The first is made by itself once evidence has been recorded.</Empty>}
                columns={[
                  { key: "number", title: "Number", align: "right", show: (k) => number(k.number) },
                  { key: "at", title: "Made", show: (k) => <Time at={k.at} /> },
                  { key: "heads", title: "Cases covered", align: "right", show: (k) => number(k.heads) },
                  { key: "root", title: "Root", wide: true, show: (k) => <span className="hash">{k.root}</span> },
                  { key: "prev", title: "Follows", minor: true, show: (k) => <span className="hash">{k.prev ? k.prev.slice(0, 16) + "…" : "nothing: the first"}</span> },
                ]}
              />
              {c.key && <p className="body small muted pad-row">This installation signs with the key <span className="hash">{c.key}</span></p>}
            </>
          )}
        </Loaded>
      </section>
    </Page>
  );
}

function VerifyFile() {
  const id = useId();
  const verify = useVerifyBundle();
  const [file, setFile] = useState<File>();
  const [key, setKey] = useState("");
  const submit = (e: FormEvent) => {
    e.preventDefault();
    if (file) verify.mutate({ file, key: key.trim() });
  };
  return (
    <section className="panel" aria-labelledby={`${id}h`}>
      <header><h2 id={`${id}h`}>Verify a bundle</h2></header>
      <div className="body stack">
        <p className="prose">A bundle is one case with everything needed to check it: choose the file that was exported from a case, here or elsewhere.</p>
        <form className="filters" onSubmit={submit}>
          <div className="field grow"><label htmlFor={`${id}f`}>Bundle</label><input id={`${id}f`} className="input" type="file" accept="application/json,.json" required onChange={(e) => { setFile(e.target.files?.[0]); verify.reset(); }} /></div>
          <div className="field grow"><label htmlFor={`${id}k`}>Public key it must be signed with <span className="muted">(optional)</span></label><input id={`${id}k`} className="input mono" value={key} onChange={(e) => setKey(e.target.value)} /></div>
          <button type="submit" className="button primary" disabled={!file || verify.isPending}><Icon name="shield" /> {verify.isPending ? "Verifying…" : "Verify"}</button>
        </form>
        {verify.error && <ErrorBox error={verify.error} />}
        {verify.data && <ReportView report={verify.data} />}
      </div>
    </section>
  );
}
