import { words } from "../../lib/format";

/** Boxes to choose roles with. */
export function RolePicker({ roles, chosen, onChange, legend }: { roles: { role: string; doc: string; apps?: string[] }[]; chosen: string[]; onChange: (r: string[]) => void; legend: string }) {
  return (
    <fieldset className="stack tight">
      <legend>{legend}</legend>
      <div className="grid tight">
        {roles.map((r) => (
          <label key={r.role} className="check top">
            <input type="checkbox" checked={chosen.includes(r.role)} onChange={(e) => onChange(e.target.checked ? [...chosen, r.role] : chosen.filter((c) => c !== r.role))} />
            <span><code>{r.role}</code>{r.apps && r.apps.length > 0 && <span className="small muted"> {r.apps.map(words).join(", ")}</span>}<br /><span className="small muted">{r.doc}</span></span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
