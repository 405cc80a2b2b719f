import { Link } from "wouter";
import type { AppDetail } from "../../api/types";
import { list, words } from "../../lib/format";
import { Badge, type Tone } from "../../parts/Badge";
import { Json } from "../../parts/Json";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/Table";
import { Time } from "../../parts/Time";

const effects: Record<string, [Tone, string]> = { read: ["plain", "Looks only"], write: ["info", "Changes our records"], act: ["warn", "Acts outside; a person is asked"] };

/** What an app is made of: roles, agents with their prompts, tools, rules, triggers. */
export function About({ app: a }: { app: AppDetail }) {
  return (
    <div className="stack">
      <section className="panel"><header><h2>Roles</h2></header>
        <Table caption="Roles" rows={a.roles} rowKey={(r) => r.role} columns={[{ key: "role", title: "Role", show: (r) => <code>{r.role}</code> }, { key: "doc", title: "What it is for", wide: true }]} />
      </section>
      <section className="panel"><header><h2>Agents</h2></header>
        {a.agents.length === 0 && <Empty icon="spark" title="This app has no agents.">Its rules decide by themselves.</Empty>}
        <div className="steps">
          {a.agents.map((g) => (
            <details key={g.name} className="step plain">
              <summary><span><span className="strong">{words(g.name)}</span> <span className="muted">{g.doc}</span></span><span className="step-side">{g.chat && <Badge icon="chat">Conversation</Badge>}<code>{g.model || "no model"}</code></span></summary>
              <div className="step-more">
                <p className="small muted">Version <code>{g.version}</code>. Tools: {list(g.tools) || "none"}.{g.specialists.length > 0 && ` May call: ${list(g.specialists)}.`}</p>
                <pre className="json" tabIndex={0} role="region" aria-label={`Prompt of ${g.name}`}>{g.prompt}</pre>
              </div>
            </details>
          ))}
        </div>
      </section>
      <section className="panel"><header><h2>Tools</h2></header>
        <div className="steps">
          {a.tools.map((t) => {
            const [tone, word] = effects[t.effect] ?? ["plain", t.effect];
            return (
              <details key={t.name} className="step plain">
                <summary><span><code className="strong">{t.name}</code> <span className="muted">{t.doc}</span></span><span className="step-side"><Badge tone={tone} icon={t.effect === "act" ? "warning" : t.effect === "write" ? "pencil" : "eye"}>{word}</Badge></span></summary>
                <div className="step-more"><p className="small muted">May be used for: {list(t.roles, "or") || "anyone signed in"}.{t.effect === "act" && ` Decided by: ${list(t.decide, "or") || "nobody"}.`}</p><Json value={t.input} label={`Arguments of ${t.name}`} /></div>
              </details>
            );
          })}
        </div>
      </section>
      <section className="panel"><header><h2>Rules</h2></header>
        <Table caption="Rules" rows={a.rules} rowKey={(r) => `${r.name}@${r.version}`} empty={<Empty icon="shield" title="This app declares no rules." />} columns={[{ key: "name", title: "Rule", show: (r) => <code>{r.name}@{r.version}</code> }, { key: "doc", title: "What it answers", wide: true }]} />
      </section>
      <section className="panel"><header><h2>Triggers</h2><Link href="/settings/schedules" className="small">Schedules</Link></header>
        <Table caption="Triggers" rows={a.triggers} rowKey={(t) => t.name} empty={<Empty icon="clock" title="Nothing starts this app unasked." />} columns={[{ key: "name", title: "Trigger", show: (t) => words(t.name) }, { key: "doc", title: "What it starts", wide: true }, { key: "cron", title: "By the clock", show: (t) => (t.cron ? <code>{t.cron}</code> : "–") }, { key: "on", title: "On event", minor: true, show: (t) => (t.on ? <code>{t.on}</code> : "–") }, { key: "next", title: "Next", show: (t) => <Time at={t.next} /> }]} />
      </section>
    </div>
  );
}
