import { useEffect, useRef } from "react";

/** Calls what belongs to a key, unless somebody is typing or a window is open. */
export function useKeys(keys: Record<string, () => void>) {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      const target = e.target as HTMLElement;
      if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
      if (target.closest("input, textarea, select, [contenteditable], dialog")) return;
      const run = latest.current[e.key];
      if (!run) return;
      e.preventDefault();
      run();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

const help: [string[], string][] = [
  [["j"], "Next request"],
  [["k"], "Previous request"],
  [["a"], "Approve"],
  [["e"], "Edit the arguments, then approve"],
  [["r"], "Reject with a note"],
  [["m"], "Respond: send the agent a message instead"],
  [["Esc"], "Leave the form"],
  [["?"], "This list"],
];

export function KeyHelp() {
  return (
    <dl className="facts">
      {help.map(([keys, text]) => (
        <div key={text} className="fact"><dt>{keys.map((k) => <kbd key={k}>{k}</kbd>)}</dt><dd>{text}</dd></div>
      ))}
    </dl>
  );
}
