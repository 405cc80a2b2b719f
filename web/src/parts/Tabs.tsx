import { useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";

export type Tab = { href: string; title: string; count?: number };

/** Pages of one thing, each with its own address. Where not all fit, the current one is in view. */
export function Tabs({ tabs, label }: { tabs: Tab[]; label: string }) {
  const [path] = useLocation();
  const best = tabs.filter((t) => path === t.href || path.startsWith(t.href + "/")).sort((a, b) => b.href.length - a.href.length)[0];
  const nav = useRef<HTMLElement>(null);
  const looks = JSON.stringify([best?.href, tabs]); // counts that arrive make tabs wider
  useEffect(() => {
    const on = nav.current?.querySelector("[aria-current]");
    if (!nav.current || !on) return;
    const [all, one] = [nav.current.getBoundingClientRect(), on.getBoundingClientRect()];
    nav.current.scrollLeft += one.left + one.width / 2 - (all.left + all.width / 2);
  }, [looks]);
  return (
    <nav className="tabs" aria-label={label} ref={nav}>
      {tabs.map((t) => (
        <Link key={t.href} href={t.href} aria-current={t === best ? "page" : undefined}>
          {t.title}
          {t.count !== undefined && <span className="tab-count">{t.count}</span>}
        </Link>
      ))}
    </nav>
  );
}
