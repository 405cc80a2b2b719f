import { Fragment } from "react";
import { Link } from "wouter";
import type { Background as Figure } from "../api/types";

/** What the app knows beside the case for whoever decides, with how each figure is computed. */
export function Background({ figures }: { figures: Figure[] }) {
  const how = [...new Set(figures.map((f) => f.how))];
  const link = figures.find((f) => f.link)?.link;
  return (
    <div className="stack tight">
      <dl className="facts">{figures.map((f) => <Fragment key={f.label}><dt>{f.label}</dt><dd>{f.value}</dd></Fragment>)}</dl>
      <p className="small muted">{how.join(" ")} {link && <Link href={link}>All of it</Link>}</p>
    </div>
  );
}
