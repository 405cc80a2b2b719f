import { useState } from "react";
import { useApproval, useDecide } from "../../hooks/approvals";
import type { ApprovalDetail } from "../../api/types";
import { ErrorBox, Loaded, Notice } from "../../parts/states";
import { Icon } from "../../parts/Icon";
import { useHas } from "../../hooks/session";
import { tell } from "../../parts/toast";
import { useRubric, useWork } from "./hooks";
import type { Comment, Round, Section } from "./types";

type Props = { report: string; section: Section; round: Round };

/** Rates a draft against the rubric, comments on its sentences, and accepts it or sends it back. */
export function Review(props: Props) {
  const rates = useHas("reviewer", "admin");
  return rates ? <Asked {...props} /> : <Notice>A reviewer rates this draft and decides whether it is final.</Notice>;
}

function Asked(props: Props) {
  const id = props.section.approval?.id ?? "";
  const approval = useApproval(id);
  if (id === "") return <Form {...props} />;
  return <Loaded query={approval} lines={3}>{(a) => <Decided {...props} approval={a} />}</Loaded>;
}

function Decided(props: Props & { approval: ApprovalDetail }) {
  const decide = useDecide(props.approval);
  return <Form {...props} accept={(note) => decide.mutateAsync({ verb: "approve", note })} />;
}

type FormProps = Props & { accept?: (note: string) => Promise<unknown> };

function Form({ report, section, round, accept }: FormProps) {
  const drafts = useHas("analyst", "admin");
  const rubric = useRubric();
  const { review, draft } = useWork(report);
  const [ratings, setRatings] = useState<Record<string, number>>({});
  const [notes, setNotes] = useState("");
  const [comments, setComments] = useState<Comment[]>([]);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);

  const quote = () => {
    const text = window.getSelection()?.toString().trim() ?? "";
    if (text === "" || !round.text.includes(text)) {
      tell("Select some words of the draft first.", "info");
      return;
    }
    setComments([...comments, { quote: text, text: "" }]);
  };
  const send = async (back: boolean) => {
    setBusy(true);
    setError(undefined);
    try {
      const said = comments.filter((c) => c.text.trim() !== "");
      const why = [notes.trim(), ...said.map((c) => `On “${c.quote}”: ${c.text}`)].filter((t) => t !== "").join("\n");
      const silent = why === "" && Object.keys(ratings).length === 0;
      if (back || !accept || !silent) await review.mutateAsync({ section: section.id, round: round.round, ratings, notes, comments: said, send_back: back });
      if (back && drafts) {
        await draft.mutateAsync([section.id]);
        tell("Sent back. The next round is being written.");
      } else if (back) {
        tell("Sent back. An analyst can have the next round written.");
      } else if (accept) {
        await accept(why.slice(0, 2000));
        tell("The section is final.");
      } else {
        tell("The review is kept.");
      }
      setRatings({});
      setNotes("");
      setComments([]);
    } catch (e) {
      setError(e);
    } finally {
      setBusy(false);
    }
  };

  return (
    <form className="stack" aria-label="Review" onSubmit={(e) => e.preventDefault()}>
      <Loaded query={rubric} lines={4}>
        {(dimensions) => (
          <div className="stack tight">
            {dimensions.map((d) => (
              <fieldset key={d.name} className="report-rating">
                <legend>{d.name.replace("_", " ")} <span className="muted small">{d.asks}</span></legend>
                <span className="row">
                  {[1, 2, 3, 4, 5].map((n) => (
                    <label key={n} className="row">
                      <input type="radio" name={d.name} checked={ratings[d.name] === n} onChange={() => setRatings({ ...ratings, [d.name]: n })} /> {n}
                    </label>
                  ))}
                </span>
              </fieldset>
            ))}
          </div>
        )}
      </Loaded>
      <div className="field">
        <label htmlFor="report-notes">Notes for the next round</label>
        <textarea id="report-notes" className="input" rows={4} maxLength={8000} value={notes} onChange={(e) => setNotes(e.target.value)} />
      </div>
      {comments.map((c, i) => (
        <div key={i} className="field">
          <label htmlFor={`report-comment-${i}`}>On “{c.quote}”</label>
          <span className="row">
            <input id={`report-comment-${i}`} className="input grow" value={c.text} onChange={(e) => setComments(comments.map((o, j) => (j === i ? { ...o, text: e.target.value } : o)))} />
            <button type="button" className="button quiet small" onClick={() => setComments(comments.filter((_, j) => j !== i))}>Remove</button>
          </span>
        </div>
      ))}
      <div><button type="button" className="button small" onMouseDown={(e) => e.preventDefault()} onClick={quote}><Icon name="reply" size={14} /> Comment on the selected words</button></div>
      {error !== undefined && <ErrorBox error={error} />}
      {!accept && round.status !== "final" && <Notice>No decision is open for this round; a review can still be kept.</Notice>}
      <div className="row">
        <button type="button" className="button primary" disabled={busy} onClick={() => void send(false)}><Icon name="check" /> {accept ? "Accept as final" : "Keep the review"}</button>
        <button type="button" className="button" disabled={busy} onClick={() => void send(true)}><Icon name="reply" /> {drafts ? "Send back and redraft" : "Send back"}</button>
      </div>
    </form>
  );
}
