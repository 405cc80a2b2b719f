import { useEffect, useRef, type ReactNode } from "react";
import { Icon } from "./Icon";

/** A window above the page. Escape and the button close it; focus stays inside. */
export function Dialog({ title, open, onClose, children }: { title: string; open: boolean; onClose: () => void; children: ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const el = ref.current;
    if (!el) return;
    if (open && !el.open) el.showModal();
    if (!open && el.open) el.close();
  }, [open]);
  return (
    <dialog ref={ref} className="dialog" aria-label={title} onClose={onClose} onClick={(e) => e.target === ref.current && onClose()}>
      {open && (
        <div className="stack">
          <header className="dialog-head">
            <h2>{title}</h2>
            <button type="button" className="button icon quiet" aria-label="Close" onClick={onClose}><Icon name="cross" /></button>
          </header>
          {children}
        </div>
      )}
    </dialog>
  );
}
