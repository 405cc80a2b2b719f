import { Link } from "wouter";
import type { AppPage } from "..";
import { Empty, Loaded } from "../../parts/states";
import { Table } from "../../parts/Table";
import { Time } from "../../parts/Time";
import { useReports } from "./hooks";
import { ReportPage } from "./ReportPage";

function Reports() {
  const reports = useReports();
  return (
    <section className="panel">
      <Loaded query={reports}>
        {(rows) => (
          <Table
            caption="Reports" rows={rows} rowKey={(r) => r.id}
            empty={<Empty icon="doc" title="There is no report yet.">Post an outline and the name of a run folder to /report/reports, or start the product with its demo data.</Empty>}
            columns={[
              { key: "title", title: "Report", wide: true, show: (r) => <Link href={`/apps/report/r/${encodeURIComponent(r.id)}`}>{r.title}</Link> },
              { key: "sections", title: "Sections", align: "right" },
              { key: "drafted", title: "Drafted", align: "right" },
              { key: "final", title: "Final", align: "right" },
              { key: "updated", title: "Changed", show: (r) => <Time at={r.updated} />, sort: (r) => r.updated },
            ]}
          />
        )}
      </Loaded>
    </section>
  );
}

export const pages: AppPage[] = [
  { path: "", title: "Reports", element: <Reports /> },
  { path: "r/:report/:section?", title: "Report", element: <ReportPage /> },
];
