import { useState } from "react";
import { Icon } from "./Icon";

/** Something that is shown only now, with a button that copies it. */
export function Secret({ value, label }: { value: string; label: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <div className="notice warn" role="status">
      <Icon name="key" size={18} />
      <div className="grow stack tight">
        <p className="strong">{label}. It is shown only now.</p>
        <code className="break" data-secret>{value}</code>
      </div>
      <button type="button" className="button small" onClick={() => void navigator.clipboard.writeText(value).then(() => setCopied(true))}><Icon name="copy" size={14} /> {copied ? "Copied" : "Copy"}</button>
    </div>
  );
}
