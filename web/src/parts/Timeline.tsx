import type { ReactNode } from "react";
import { day } from "../lib/format";
import { Icon, type IconName } from "./Icon";
import { Time } from "./Time";

export type Moment = { key: string; at: string; icon?: IconName; tone?: "ok" | "warn" | "bad" | "info" | "plain"; title: ReactNode; by?: ReactNode; more?: ReactNode };

/** What happened, in order, a heading for each day. */
export function Timeline({ moments }: { moments: Moment[] }) {
  const days: { day: string; moments: Moment[] }[] = [];
  for (const m of moments) {
    const d = day(new Date(m.at));
    const last = days[days.length - 1];
    if (last?.day === d) last.moments.push(m);
    else days.push({ day: d, moments: [m] });
  }
  return (
    <div className="timeline">
      {days.map((d) => (
        <section key={d.day + d.moments[0].key}>
          <h3 className="timeline-day">{d.day}</h3>
          <ol>
            {d.moments.map((m) => (
              <li key={m.key} className={`moment ${m.tone ?? "plain"}`}>
                <span className="moment-icon"><Icon name={m.icon ?? "dot"} size={14} /></span>
                <div className="grow">
                  <div>{m.title}</div>
                  <div className="muted small row">{m.by && <span>{m.by}</span>}<Time at={m.at} /></div>
                  {m.more}
                </div>
              </li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

/** The icon and tone for a kind of event. */
export function lookOf(kind: string): Pick<Moment, "icon" | "tone"> {
  const [noun, verb] = kind.split(".");
  switch (noun) {
    case "case":
      return { icon: "folder", tone: "info" };
    case "evidence":
      return { icon: "ledger", tone: "plain" };
    case "finding":
      return { icon: "eye", tone: "info" };
    case "run":
      return { icon: "run", tone: "plain" };
    case "approval":
      if (verb === "decided") return { icon: "person", tone: "ok" };
      return { icon: verb === "expired" || verb === "void" ? "ban" : "clock", tone: "warn" };
    case "mail":
      return { icon: "mail", tone: "info" };
    default:
      return { icon: "dot", tone: "plain" };
  }
}
