import { useState } from "react";
import { useApproval, useDecide } from "../../hooks/approvals";
import { useChat, useChats, useSay, useStartChat } from "../../hooks/chat";
import { useMe } from "../../hooks/session";
import type { Conversation } from "../../api/types";
import { useQueryState } from "../../lib/query";
import { isDict } from "../../lib/shape";
import { turnsNow } from "../../pages/apps/turns";
import { Background } from "../../parts/Background";
import { Chat, type Turn } from "../../parts/Chat";
import { doubtOptions, type Decide } from "../../parts/DecisionForm";
import { Icon } from "../../parts/Icon";
import { Empty, ErrorBox, Loaded, explain } from "../../parts/states";
import { Time } from "../../parts/Time";
import { tell } from "../../parts/toast";
import { attach, desksOf, type Desk } from "./data";

const names: Record<Desk, string> = { hr: "HR desk", admin: "Admin desk", gate: "Gate" };
const examples: Record<Desk, string[]> = {
  hr: ["Create a pass for Ravi Kumar to visit the bank, he'll be back by 4 pm", "Who is out now?", "Which passes are still pending?", "Any notifications?"],
  admin: ["What's waiting for my approval?", "Approve the first one", "Who is out now?", "Show rejected passes"],
  gate: ["Is GP-2026-0004 approved?", "GP-2026-0004 is going out", "Show photos of GP-2026-0001"],
};

/** Talking to the assistant of a desk, with photos and confirmations. */
export function Talk() {
  const mine = desksOf(useMe().roles);
  const [get, set] = useQueryState();
  const start = useStartChat();
  const chats = useChats("gatepass");
  const run = get("run");
  const begin = (desk: Desk) => start.mutate({ app: "gatepass", agent: desk }, { onSuccess: (c) => set({ run: c.id }) });
  return (
    <div className="split">
      {run ? <Open id={run} /> : (
        <div className="panel">
          <Empty icon="chat" title="Talk to a desk">
            <div className="stack">
              <p>Say what you want in your own words. Nothing is deleted before you agree.</p>
              {start.error && <ErrorBox error={start.error} />}
              <div className="row center">{mine.map((d) => <button key={d} type="button" className="button primary" disabled={start.isPending} onClick={() => begin(d)}><Icon name="chat" /> {names[d]}</button>)}</div>
              {mine.length === 0 && <p className="muted">You hold no role at a desk.</p>}
            </div>
          </Empty>
        </div>
      )}
      <aside className="panel" aria-label="Your conversations">
        <header><h2>Your conversations</h2>{run && <button type="button" className="button small" onClick={() => set({ run: "" })}><Icon name="plus" size={14} /> New</button>}</header>
        <Loaded query={chats}>
          {(all) => all.length === 0 ? <p className="muted body">None yet.</p> : (
            <ul className="ev-list">{all.slice(0, 15).map((c) => <li key={c.id}><a href={`?run=${c.id}`} aria-current={c.id === run || undefined} onClick={(e) => { e.preventDefault(); set({ run: c.id }); }}><Icon name="chat" /><span>{names[c.agent as Desk] ?? c.agent}</span><Time at={c.started} /></a></li>)}</ul>
          )}
        </Loaded>
      </aside>
    </div>
  );
}

function Open({ id }: { id: string }) {
  const chat = useChat(id);
  const say = useSay();
  return (
    <div className="stack">
      {say.error !== undefined && <ErrorBox error={say.error} />}
      <Loaded query={chat} lines={8}>{(c) => <Conversing conversation={c} {...say} />}</Loaded>
    </div>
  );
}

// A yes with more in it is no plain yes: "yes, but for Tuesday" goes to the assistant, which withdraws what was asked.
const more = "(,? (please|sure|go ahead|do it|do that|sir|madam|ji|of course|that'?s right|correct|confirm|(create|make|approve|reject|delete|scan) it))*";
const yes = new RegExp(`^(y|yes|yeah|yep|yup|sure|ok|okay|haan|ha|confirm|confirmed|go ahead|do it|please do)${more}[.! ]*$`, "i");
const no = /^(n|no|nope|nah|nahi|don'?t|do not|keep it|stop|cancel|no,? (thanks|thank you|don'?t|do not|stop|cancel|keep it|leave it|sir|madam|ji)|never ?mind|leave it)[.! ]*$/i;

function Conversing({ conversation: c, say, busy, ...saying }: { conversation: Conversation } & ReturnType<typeof useSay>) {
  const pending = useApproval(c.pending[0] ?? "");
  const asked = pending.data?.status === "pending" ? pending.data : undefined;
  const decide = useDecide(asked ?? ({ id: "", case: "", etag: "", digest: "" } as NonNullable<typeof asked>));
  const [working, setWorking] = useState(false);
  const turns = withPictures(turnsNow(c, saying));
  const answer = (d: Decide) => decide.mutate(d, { onError: (e) => tell(explain(e).title, "bad") });
  // Asked whether an act happened, a yes says that it did; it does not do it again.
  const settle = (agree: boolean) => answer(!agree ? { verb: "reject", note: "Said no in the conversation." } : asked?.doubt ? { verb: "respond", note: "Said yes in the conversation." } : { verb: "approve" });
  const send = async (text: string, files: File[]) => {
    if (asked?.mine && files.length === 0 && (yes.test(text) || no.test(text))) return settle(yes.test(text));
    setWorking(true);
    try {
      const sent = await Promise.all(files.map(attach));
      await say(c.id, text || "here is the photo", sent);
    } catch (e) {
      tell(explain(e).title, "bad");
    } finally {
      setWorking(false);
    }
  };
  const desk = c.agent as Desk;
  return (
    <>
      <Chat turns={turns} busy={busy || working || c.status === "ready"} onSend={(t, f) => void send(t, f)} attach accept="image/jpeg,image/png,image/heic"
        opening={<p className="muted">This is the {names[desk] ?? desk}. Say what you want in your own words.</p>} suggestions={examples[desk]}
        confirm={asked && { key: asked.id, text: `${asked.title} ${asked.mine ? asked.why : asked.why_not}`, more: asked.background.length > 0 && <Background figures={asked.background} />, options: !asked.mine ? [] : asked.doubt ? doubtOptions(answer) : [{ label: "Yes, do it", tone: "danger", run: () => settle(true) }, { label: "No", run: () => settle(false) }] }} />
    </>
  );
}

/** Shows a picture that a tool returned, such as a QR code, behind the call. */
function withPictures(turns: Turn[]): Turn[] {
  return turns.flatMap((t): Turn[] => {
    const v = t.from === "tool" ? t.value : undefined;
    if (!isDict(v) || typeof v.image_base64 !== "string" || typeof v.mime !== "string") return [t];
    return [t, { key: `${t.key}-picture`, from: "picture", src: `data:${v.mime};base64,${v.image_base64}`, alt: "QR code" }];
  });
}
