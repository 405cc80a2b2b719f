import { useState } from "react";
import { Link, useLocation } from "wouter";
import type { AppDetail, Conversation } from "../../api/types";
import { useApproval, useDecide } from "../../hooks/approvals";
import { useChat, useChats, useSay, useStartChat, type Saying } from "../../hooks/chat";
import { words } from "../../lib/format";
import { Chat, type Confirmation } from "../../parts/Chat";
import { doubtOptions } from "../../parts/DecisionForm";
import { Icon } from "../../parts/Icon";
import { Fields } from "../../parts/Json";
import { Empty, ErrorBox, explain, Loaded } from "../../parts/states";
import { Time } from "../../parts/Time";
import { tell } from "../../parts/toast";
import { turnsNow } from "./turns";

/** Talking to an app's agent, and the conversations before. */
export function AppChat({ app: a, run }: { app: AppDetail; run?: string }) {
  const chats = useChats(a.id);
  const [, go] = useLocation();
  const start = useStartChat();
  const begin = (agent: string) => start.mutate({ app: a.id, agent }, { onSuccess: (c) => go(`/apps/${a.id}/chat/${c.id}`) });
  return (
    <div className="split">
      {run ? <Talk id={run} /> : (
        <div className="panel">
          <Empty icon="chat" title="Talk to an agent">
            <div className="stack"><p>It looks things up, writes and prepares. What cannot be undone waits for a person.</p>
              {start.error && <ErrorBox error={start.error} />}
              <div className="row center">{a.chat.map((g) => <button key={g} type="button" className="button primary" disabled={start.isPending} onClick={() => begin(g)}><Icon name="chat" /> {a.chat.length > 1 ? `Talk to ${words(g)}` : "Start a conversation"}</button>)}</div>
            </div>
          </Empty>
        </div>
      )}
      <aside className="panel" aria-label="Your conversations">
        <header><h2>Your conversations</h2>{run && <Link href={`/apps/${a.id}/chat`} className="button small"><Icon name="plus" size={14} /> New</Link>}</header>
        <Loaded query={chats}>
          {(all) => all.length === 0 ? <p className="muted body">None yet.</p> : (
            <ul className="ev-list">{all.map((c) => <li key={c.id}><Link href={`/apps/${a.id}/chat/${c.id}`} aria-current={c.id === run || undefined}><Icon name="chat" /><span>{words(c.agent)}</span><Time at={c.started} /></Link></li>)}</ul>
          )}
        </Loaded>
      </aside>
    </div>
  );
}

/** One conversation with its agent. Apps may show it on pages of their own. */
export function Talk({ id, opening, suggestions }: { id: string; opening?: React.ReactNode; suggestions?: string[] }) {
  const chat = useChat(id);
  const { say, busy, error, ...saying } = useSay();
  return (
    <div className="stack">
      {error !== undefined && <ErrorBox error={error} />}
      <Loaded query={chat} lines={8}>
        {(c) => <Open conversation={c} busy={busy} {...saying} say={(t) => void say(id, t)} opening={opening} suggestions={suggestions} />}
      </Loaded>
    </div>
  );
}

type OpenProps = Saying & { conversation: Conversation; busy: boolean; say: (t: string) => void; opening?: React.ReactNode; suggestions?: string[] };

function Open({ conversation: c, busy, say, opening, suggestions, ...saying }: OpenProps) {
  const pending = useApproval(c.pending[0] ?? "");
  const turns = turnsNow(c, saying);
  return (
    <>
      <Chat turns={turns} busy={busy || c.status === "ready"} onSend={say} opening={opening ?? <p className="muted">Say what you want in your own words.</p>} suggestions={suggestions} confirm={undefined} />
      {pending.data && pending.data.status === "pending" && <Confirm key={pending.data.id} approval={pending.data} />}
    </>
  );
}

function Confirm({ approval }: { approval: NonNullable<ReturnType<typeof useApproval>["data"]> }) {
  const decide = useDecide(approval);
  const [note, setNote] = useState("");
  const options: Confirmation["options"] = !approval.mine
    ? []
    : approval.doubt
    ? doubtOptions((d) => decide.mutate({ ...d, note: note.trim() || d.note }, { onSuccess: () => tell("Recorded.") }))
    : [
        { label: "Approve", tone: "primary", run: () => decide.mutate({ verb: "approve" }, { onSuccess: () => tell("Approved.") }) },
        { label: "Do not", tone: "danger", run: () => decide.mutate({ verb: "reject", note: note.trim() || "Not wanted." }, { onSuccess: () => tell("Not done.") }) },
      ];
  const hint = approval.doubt ? "How you know" : "A note, if you do not want it";
  return (
    <div className="chat-confirm" role="group" aria-label="A question for you">
      <p className="strong">{approval.title}</p>
      <p>{approval.mine ? approval.why : approval.why_not}</p>
      <Fields value={approval.args} />
      {decide.error && <p className="wrong">{explain(decide.error).title}</p>}
      {approval.mine && <input className="input" aria-label={hint} placeholder={hint} value={note} onChange={(e) => setNote(e.target.value)} />}
      <div className="row">
        {options.map((o) => <button key={o.label} type="button" className={`button ${o.tone ?? ""}`} disabled={decide.isPending} onClick={o.run}>{o.label}</button>)}
        <Link href={`/inbox/${approval.id}`} className="small">Everything about it</Link>
      </div>
    </div>
  );
}
