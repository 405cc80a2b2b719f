import type { Approval, ApprovalStatus, RunStatus, State, Verb, Verdict } from "../api/types";
import { words } from "../lib/format";
import { Icon, type IconName } from "./Icon";

export type Tone = "ok" | "warn" | "bad" | "info" | "plain";

/** A status: always an icon and a word, and a colour beside them. */
export function Badge({ tone = "plain", icon, children, title }: { tone?: Tone; icon?: IconName; children: string; title?: string }) {
  return (
    <span className={`badge ${tone}`} title={title}>
      {icon && <Icon name={icon} size={13} />}
      {children}
    </span>
  );
}

type Look = [tone: Tone, icon: IconName, word: string];

const states: Record<State, Look> = {
  preliminary: ["info", "search", "Preliminary"],
  open: ["info", "play", "Open"],
  waiting: ["warn", "clock", "Waiting"],
  closed: ["plain", "check", "Closed"],
  cleared: ["ok", "check", "Cleared"],
};
const verdicts: Record<Verdict, Look> = {
  pass: ["ok", "check", "Pass"],
  fail: ["bad", "cross", "Fail"],
  unclear: ["warn", "question", "Unclear"],
};
const approvals: Record<ApprovalStatus, Look> = {
  pending: ["warn", "clock", "Pending"],
  approved: ["ok", "check", "Approved"],
  rejected: ["bad", "cross", "Rejected"],
  expired: ["plain", "clock", "Expired"],
  void: ["plain", "ban", "Void"],
};
const runs: Record<RunStatus, Look> = {
  ready: ["info", "play", "Working"],
  paused: ["warn", "pause", "Paused"],
  done: ["ok", "check", "Done"],
  failed: ["bad", "cross", "Failed"],
};
const verbs: Record<Verb, Look> = {
  approve: ["ok", "check", "Approved"],
  edit: ["info", "pencil", "Edited"],
  reject: ["bad", "cross", "Rejected"],
  respond: ["info", "reply", "Responded"],
};
/** What an answer records about an act of which nobody knew whether it happened. */
const settled: Record<string, Look> = {
  approve: ["info", "check", "Done again"],
  reject: ["plain", "cross", "Did not happen"],
  respond: ["ok", "check", "Did happen"],
};

function look(table: Record<string, Look>, word: string) {
  const [tone, icon, text] = table[word] ?? ["plain", "dot", words(word)];
  return <Badge tone={tone} icon={icon}>{text}</Badge>;
}

export const StateBadge = ({ state }: { state: string }) => look(states, state);
export const VerdictBadge = ({ verdict }: { verdict: string }) => look(verdicts, verdict);
export const RunBadge = ({ status }: { status: string }) => look(runs, status);
export const VerbBadge = ({ verb, doubt }: { verb: string; doubt?: boolean }) => look(doubt ? settled : verbs, verb);

/** Where a request stands; one about an act in doubt says what became of the act. */
export function ApprovalBadge({ approval: a }: { approval: Pick<Approval, "status" | "doubt" | "decisions"> }) {
  if (a.doubt && a.status === "pending") return <Badge tone="warn" icon="question">In doubt</Badge>;
  const last = a.decisions.at(-1);
  return a.doubt && last ? <VerbBadge verb={last.verb} doubt /> : look(approvals, a.status);
}
