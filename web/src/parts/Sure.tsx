import { useState } from "react";
import { Dialog } from "./Dialog";

type Props = { verb: string; what: string; warning: string; busy?: boolean; onYes: () => void };

/** A small button for what cannot be undone: it says what that means and asks once more. */
export function Sure({ verb, what, warning, busy, onYes }: Props) {
  const [open, setOpen] = useState(false);
  const title = `${verb} ${what}`;
  return (
    <>
      <button type="button" className="button small danger" aria-label={title} disabled={busy} onClick={() => setOpen(true)}>{verb}</button>
      <Dialog title={`${title}?`} open={open} onClose={() => setOpen(false)}>
        <p>{warning}</p>
        <div className="row">
          <button type="button" className="button danger" onClick={() => { setOpen(false); onYes(); }}>{verb}</button>
          <button type="button" className="button" onClick={() => setOpen(false)}>Keep it</button>
        </div>
      </Dialog>
    </>
  );
}
