import { useEffect, type ReactNode } from "react";

type Props = { title: string; lead?: ReactNode; above?: ReactNode; actions?: ReactNode; children: ReactNode; wide?: boolean };

/** A page: its heading, what can be done with it, and what it shows. */
export function Page({ title, lead, above, actions, children, wide }: Props) {
  useEffect(() => {
    document.title = `${title} · Dossier`;
  }, [title]);
  return (
    <div className={wide ? "page wide" : "page"}>
      <header className="page-head">
        <div className="grow">
          {above && <div className="page-above">{above}</div>}
          <h1 tabIndex={-1}>{title}</h1>
          {lead && <div className="page-lead">{lead}</div>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
