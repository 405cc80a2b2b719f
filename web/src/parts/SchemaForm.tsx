import { useId } from "react";
import { words } from "../lib/format";
import { blank, join, nullable, typeOf, type Schema } from "../lib/schema";
import { isDict } from "../lib/shape";
import { Icon } from "./Icon";

type Props = { schema: Schema; value: unknown; onChange: (v: unknown) => void; wrong: Map<string, string>; path?: string };

/** A form made from a JSON schema. It holds no state: value in, changes out. */
export function SchemaForm({ schema, value, onChange, wrong, path = "" }: Props) {
  const fields = Object.entries(schema.properties ?? {});
  const held = isDict(value) ? value : {};
  if (fields.length === 0) return <p className="muted">This takes no arguments.</p>;
  return (
    <div className="stack tight">
      {fields.map(([name, inner]) => (
        <Field
          key={name}
          name={name}
          schema={inner}
          required={schema.required?.includes(name) ?? false}
          value={held[name]}
          path={join(path, name)}
          wrong={wrong}
          onChange={(v) => {
            const next = { ...held, [name]: v };
            if (v === undefined) delete next[name];
            onChange(next);
          }}
        />
      ))}
    </div>
  );
}

type FieldProps = { name: string; schema: Schema; required: boolean; value: unknown; path: string; wrong: Map<string, string>; onChange: (v: unknown) => void };

function Field(p: FieldProps) {
  const id = useId();
  const type = typeOf(p.schema);
  const title = p.schema.title ?? words(p.name);
  const hint = p.schema.description;
  const problem = p.wrong.get(p.path);
  const described = [hint && `${id}-hint`, problem && `${id}-wrong`].filter(Boolean).join(" ") || undefined;
  const common = { id, "aria-describedby": described, "aria-invalid": problem ? true : undefined, name: p.path } as const;

  if (type === "object" && p.schema.properties) {
    return (
      <fieldset className="nested">
        <legend>{title}</legend>
        {hint && <p className="hint">{hint}</p>}
        <SchemaForm schema={p.schema} value={p.value} onChange={p.onChange} wrong={p.wrong} path={p.path} />
      </fieldset>
    );
  }
  if (type === "array" && isDict(p.schema.items)) return <ListField {...p} title={title} hint={hint} problem={problem} items={p.schema.items} />;
  return (
    <div className="field">
      {type === "boolean" ? (
        <label className="check" htmlFor={id}>
          <input {...common} type="checkbox" checked={p.value === true} onChange={(e) => p.onChange(e.target.checked)} /> {title}
        </label>
      ) : (
        <>
          <label htmlFor={id}>{title}{!p.required && <span className="muted"> (optional)</span>}</label>
          <Input {...p} common={common} type={type} />
        </>
      )}
      {hint && <span className="hint" id={`${id}-hint`}>{hint}</span>}
      {problem && <span className="wrong" id={`${id}-wrong`}>{problem}</span>}
    </div>
  );
}

type Common = { id: string; "aria-describedby": string | undefined; "aria-invalid": true | undefined; name: string };

function Input({ schema, value, required, onChange, common, type }: FieldProps & { common: Common; type: string }) {
  if (schema.enum) {
    return (
      <select {...common} className="input" value={value === undefined ? "" : String(value)} onChange={(e) => onChange(schema.enum?.find((o) => String(o) === e.target.value))}>
        {(!required || value === undefined) && <option value="">Choose…</option>}
        {schema.enum.map((o) => <option key={String(o)} value={String(o)}>{words(String(o))}</option>)}
      </select>
    );
  }
  if (type === "number" || type === "integer") {
    return (
      <input {...common} className="input" type="number" inputMode={type === "integer" ? "numeric" : "decimal"} step={type === "integer" ? 1 : "any"} min={schema.minimum} max={schema.maximum}
        value={typeof value === "number" ? value : ""} onChange={(e) => onChange(e.target.value === "" ? (nullable(schema) ? null : undefined) : Number(e.target.value))} />
    );
  }
  if (type !== "string") return <JsonInput common={common} value={value} onChange={onChange} />;
  const text = typeof value === "string" ? value : "";
  const set = (v: string) => onChange(v === "" && !required ? undefined : v);
  if (text.length > 80 || text.includes("\n") || (schema.maxLength ?? 0) > 200) {
    return <textarea {...common} className="input" rows={Math.min(14, Math.max(4, text.split("\n").length + Math.floor(text.length / 90)))} value={text} onChange={(e) => set(e.target.value)} />;
  }
  return <input {...common} className="input" type={schema.format === "email" ? "email" : schema.format === "date" ? "date" : "text"} value={text} onChange={(e) => set(e.target.value)} />;
}

/** What no other field can hold: written as JSON, taken over once it reads. */
function JsonInput({ common, value, onChange }: { common: Common; value: unknown; onChange: (v: unknown) => void }) {
  return (
    <textarea {...common} className="input mono" rows={4} defaultValue={value === undefined ? "" : JSON.stringify(value, null, 2)}
      onBlur={(e) => {
        try {
          onChange(e.target.value.trim() === "" ? undefined : JSON.parse(e.target.value));
          e.target.setCustomValidity("");
        } catch {
          e.target.setCustomValidity("This is not JSON yet.");
          e.target.reportValidity();
        }
      }} />
  );
}

function ListField({ schema, value, path, wrong, onChange, title, hint, problem, items, required }: FieldProps & { title: string; hint?: string; problem?: string; items: Schema }) {
  const list = Array.isArray(value) ? value : [];
  const set = (next: unknown[]) => onChange(next.length === 0 && !required ? undefined : next);
  return (
    <fieldset className="nested">
      <legend>{title}{!required && <span className="muted"> (optional)</span>}</legend>
      {hint && <p className="hint">{hint}</p>}
      <div className="stack tight">
        {list.map((v, i) => (
          <div key={i} className="row top list-item">
            <div className="grow">
              {typeOf(items) === "object" && items.properties ? (
                <SchemaForm schema={items} value={v} path={join(path, String(i))} wrong={wrong} onChange={(n) => set(list.map((o, j) => (j === i ? n : o)))} />
              ) : (
                <Field name={`${title} ${i + 1}`} schema={items} required value={v} path={join(path, String(i))} wrong={wrong} onChange={(n) => set(list.map((o, j) => (j === i ? n : o)))} />
              )}
            </div>
            <button type="button" className="button icon small quiet" aria-label={`Remove ${title} ${i + 1}`} onClick={() => set(list.filter((_, j) => j !== i))}><Icon name="trash" /></button>
          </div>
        ))}
        {(schema.maxItems === undefined || list.length < schema.maxItems) && (
          <div><button type="button" className="button small" onClick={() => set([...list, blank(items)])}><Icon name="plus" size={14} /> Add</button></div>
        )}
      </div>
      {problem && <p className="wrong">{problem}</p>}
    </fieldset>
  );
}
