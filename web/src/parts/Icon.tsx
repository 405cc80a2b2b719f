import type { ReactNode } from "react";

const shapes = {
  inbox: <><path d="M3 13h5l1.5 3h5L16 13h5" /><path d="M5.5 5h13L21 13v5a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-5z" /></>,
  folder: <path d="M3 7a2 2 0 0 1 2-2h4l2 2.5h8a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z" />,
  run: <><circle cx="6" cy="6" r="2.2" /><circle cx="6" cy="18" r="2.2" /><circle cx="18" cy="12" r="2.2" /><path d="M6 8.2v7.6M6 12h9.8" /></>,
  ledger: <><rect x="4" y="3.5" width="16" height="5" rx="1" /><rect x="4" y="15.5" width="16" height="5" rx="1" /><path d="M8 8.5v7M16 8.5v7" /></>,
  apps: <><rect x="4" y="4" width="6.5" height="6.5" rx="1" /><rect x="13.5" y="4" width="6.5" height="6.5" rx="1" /><rect x="4" y="13.5" width="6.5" height="6.5" rx="1" /><rect x="13.5" y="13.5" width="6.5" height="6.5" rx="1" /></>,
  evals: <path d="M4 20V10M10 20V4M16 20v-7M22 20H2" />,
  settings: <><path d="M4 7h9M19 7h1M4 17h1M11 17h9" /><circle cx="16" cy="7" r="2.4" /><circle cx="8" cy="17" r="2.4" /></>,
  check: <path d="m4.5 12.5 5 5L20 7" />,
  cross: <path d="m6 6 12 12M18 6 6 18" />,
  minus: <path d="M6 12h12" />,
  question: <><path d="M9 9.2a3.1 3.1 0 1 1 4.6 2.7c-1 .6-1.6 1.2-1.6 2.4" /><path d="M12 17.8v.1" /></>,
  clock: <><circle cx="12" cy="12" r="8.5" /><path d="M12 7.5V12l3 2" /></>,
  pause: <path d="M9 6v12M15 6v12" />,
  play: <path d="M8 5.5v13l10-6.5z" />,
  ban: <><circle cx="12" cy="12" r="8.5" /><path d="m6 6 12 12" /></>,
  warning: <><path d="M12 4 2.8 19.5h18.4z" /><path d="M12 10v4.5M12 17v.1" /></>,
  info: <><circle cx="12" cy="12" r="8.5" /><path d="M12 11v5M12 8v.1" /></>,
  pencil: <path d="M4 20l1-4L16 5l3 3L8 19zM14 7l3 3" />,
  reply: <path d="M10 6 4 12l6 6M4.5 12H15a5 5 0 0 1 5 5v1" />,
  arrow: <path d="M4 12h15M13 6l6 6-6 6" />,
  down: <path d="m6 9 6 6 6-6" />,
  right: <path d="m9 6 6 6-6 6" />,
  menu: <path d="M4 7h16M4 12h16M4 17h16" />,
  sun: <><circle cx="12" cy="12" r="4" /><path d="M12 2.5v2.5M12 19v2.5M2.5 12H5M19 12h2.5M5.3 5.3 7 7M17 17l1.7 1.7M18.7 5.3 17 7M7 17l-1.7 1.7" /></>,
  moon: <path d="M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z" />,
  auto: <><circle cx="12" cy="12" r="8.5" /><path d="M12 3.5v17" /><path d="M12 6a6 6 0 0 1 0 12z" fill="currentColor" stroke="none" /></>,
  person: <><circle cx="12" cy="8" r="3.6" /><path d="M4.5 20c.8-4 3.8-6 7.5-6s6.7 2 7.5 6" /></>,
  people: <><circle cx="9" cy="8.5" r="3.2" /><path d="M2.5 19.5c.7-3.6 3.3-5.3 6.5-5.3s5.8 1.7 6.5 5.3M16 5.6a3.2 3.2 0 0 1 0 5.9M18 14.6c2 .7 3.2 2.3 3.6 4.9" /></>,
  mail: <><rect x="3" y="5" width="18" height="14" rx="2" /><path d="m4 7 8 6 8-6" /></>,
  key: <><circle cx="8" cy="15" r="4" /><path d="m11 12 8.5-8.5M16 7l3 3" /></>,
  search: <><circle cx="11" cy="11" r="6.5" /><path d="m16 16 5 5" /></>,
  download: <path d="M12 4v11M7 11l5 5 5-5M4.5 20h15" />,
  upload: <path d="M12 16V5M7 9l5-5 5 5M4.5 20h15" />,
  link: <path d="M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17" />,
  shield: <><path d="M12 3.5 5 6v5.5c0 4.3 2.9 7.6 7 9 4.1-1.4 7-4.7 7-9V6z" /><path d="m9 11.8 2.2 2.2 3.8-4" /></>,
  tool: <path d="M14.5 6.5a4 4 0 0 1 5-1.5l-2.7 2.7.4 2 2 .4L22 7.5a4 4 0 0 1-5.5 5L9 20a2.1 2.1 0 0 1-3-3l7.5-7.5a4 4 0 0 1 1-3z" />,
  spark: <path d="M12 3.5 13.8 9l5.7 1.8-5.7 1.9L12 18.5l-1.8-5.8-5.7-1.9L10.2 9z" />,
  eye: <><path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z" /><circle cx="12" cy="12" r="2.8" /></>,
  doc: <><path d="M6 3.5h8l4.5 4.5v12a.5.5 0 0 1-.5.5H6a.5.5 0 0 1-.5-.5V4a.5.5 0 0 1 .5-.5z" /><path d="M14 3.5V8h4.5M8.5 12.5h7M8.5 16h7" /></>,
  chat: <path d="M4 5h16v11H10l-5 4v-4H4z" />,
  table: <><rect x="3.5" y="4.5" width="17" height="15" rx="1" /><path d="M3.5 9.5h17M9.5 9.5v10" /></>,
  chart: <path d="M4 4v16h16M8 15l3.5-4.5 3 2.5L20 7" />,
  map: <><path d="M12 21s-6.5-6-6.5-11a6.5 6.5 0 1 1 13 0c0 5-6.5 11-6.5 11z" /><circle cx="12" cy="10" r="2.3" /></>,
  image: <><rect x="3.5" y="4.5" width="17" height="15" rx="1.5" /><circle cx="9" cy="10" r="1.6" /><path d="m5 18 5-5 3 3 2.5-2.5L19.5 18" /></>,
  code: <path d="m8 7-5 5 5 5M16 7l5 5-5 5" />,
  dot: <circle cx="12" cy="12" r="4" fill="currentColor" />,
  plus: <path d="M12 5v14M5 12h14" />,
  trash: <path d="M4.5 7h15M9 7V4.5h6V7M6.5 7l1 13h9l1-13" />,
  copy: <><rect x="8" y="8" width="12" height="12" rx="1.5" /><path d="M16 8V5.5A1.5 1.5 0 0 0 14.5 4h-9A1.5 1.5 0 0 0 4 5.5v9A1.5 1.5 0 0 0 5.5 16H8" /></>,
  out: <path d="M14 4h6v6M20 4l-9 9M18 14v5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1h5" />,
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof shapes;

/** A line drawing that stands beside a word. It says nothing to a screen reader: the word does. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.9" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true" focusable="false">
      {shapes[name]}
    </svg>
  );
}
