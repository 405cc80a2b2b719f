import type { StepView } from "../../api/types";
import { useRun } from "../../hooks/runs";
import { Badge } from "../../parts/Badge";

/** A draft that the checks did not let through. */
export type StoppedDraft = { by: string; text: string; reasons: string[] };

type Step = Pick<StepView, "calls" | "model" | "call" | "failed" | "value">;

/** The stopped drafts among the steps of a run, oldest first. */
export function stoppedDrafts(steps: Step[]): StoppedDraft[] {
  const put = new Map<string, { by: string; text: string }>();
  const out: StoppedDraft[] = [];
  for (const s of steps) {
    for (const c of s.calls ?? []) {
      if (c.tool === "write_section_draft") put.set(c.id, { by: s.model ?? "", text: (c.args as { content?: string }).content ?? "" });
    }
    const draft = put.get(s.call ?? ""), error = (s.value as { error?: string } | undefined)?.error;
    if (draft && s.failed && error) out.push({ ...draft, reasons: reasonsOf(error) });
  }
  return out;
}

/** One reason a line: each begins where a place in the text or the draft is named. */
function reasonsOf(error: string): string[] {
  return error.replace(/^The draft is not kept\.\s*/, "").split(/ (?=Byte \d+: |The draft |And \d+ more)/).filter((r) => r !== "");
}

/** Says which drafts of a round were stopped before the one that is kept, and why. */
export function Stopped({ run }: { run: string }) {
  const query = useRun(run);
  const drafts = stoppedDrafts(query.data?.steps ?? []);
  if (drafts.length === 0) return null;
  return (
    <section aria-label="Drafts that were stopped" className="stack tight">
      <h4>Drafts that were stopped</h4>
      {drafts.map((d, i) => (
        <details key={i} className="report-stopped">
          <summary><Badge tone="bad" icon="cross">Stopped</Badge> by {d.by}: {d.reasons[0]}</summary>
          <ul>{d.reasons.map((r, j) => <li key={j}>{r.replace(/^Byte \d+: /, "")}</li>)}</ul>
          <blockquote>{d.text}</blockquote>
        </details>
      ))}
    </section>
  );
}
