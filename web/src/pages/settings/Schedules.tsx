import { useAppTitle } from "../../hooks/apps";
import { useTriggers } from "../../hooks/triggers";
import { words } from "../../lib/format";
import { Empty, Loaded } from "../../parts/states";
import { Table } from "../../parts/Table";
import { Time } from "../../parts/Time";
import { TriggerButton } from "../apps/Triggers";

/** What the clock and outside events start. */
export function Schedules() {
  const triggers = useTriggers();
  const title = useAppTitle();
  return (
    <section className="panel">
      <header><h2>Schedules and events</h2></header>
      <Loaded query={triggers} lines={6}>
        {(all) => (
          <Table caption="Schedules and events" rows={all} rowKey={(t) => `${t.app}/${t.name}`} empty={<Empty icon="clock" title="Nothing starts by itself." />}
            columns={[
              { key: "name", title: "Trigger", wide: true, show: (t) => <><span className="strong">{words(t.name)}</span><div className="small muted">{t.doc}</div></>, sort: (t) => t.name },
              { key: "app", title: "App", minor: true, show: (t) => title(t.app), sort: (t) => t.app },
              { key: "when", title: "When", show: (t) => <>{t.cron && <code className="nowrap">{t.cron}</code>}{t.on && <div className="small">on <code>{t.on}</code></div>}</> },
              { key: "next", title: "Next", show: (t) => <Time at={t.next} />, sort: (t) => t.next ?? "" },
              { key: "start", title: "Start now", show: (t) => <TriggerButton app={t.app} trigger={t} small /> },
            ]} />
        )}
      </Loaded>
    </section>
  );
}
