import { Link, useLocation } from "wouter";

export type Tab = { href: string; title: string; count?: number };

/** Pages of one thing, each with its own address. */
export function Tabs({ tabs, label }: { tabs: Tab[]; label: string }) {
  const [path] = useLocation();
  const best = tabs.filter((t) => path === t.href || path.startsWith(t.href + "/")).sort((a, b) => b.href.length - a.href.length)[0];
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map((t) => (
        <Link key={t.href} href={t.href} aria-current={t === best ? "page" : undefined}>
          {t.title}
          {t.count !== undefined && <span className="tab-count">{t.count}</span>}
        </Link>
      ))}
    </nav>
  );
}
