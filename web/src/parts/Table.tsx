import { useMemo, useState, type ReactNode } from "react";
import { Icon } from "./Icon";

export type Column<T> = {
  key: string;
  title: string;
  /** What the cell shows; the row's value under key if left out. */
  show?: (row: T) => ReactNode;
  /** What the column sorts by; no sorting if left out. */
  sort?: (row: T) => string | number;
  align?: "left" | "right";
  /** Wide text may take the room and wrap. */
  wide?: boolean;
  /** Left out on a phone. */
  minor?: boolean;
};

type Props<T> = {
  rows: T[];
  columns: Column<T>[];
  rowKey: (row: T, index: number) => string;
  caption: string;
  /** Shown instead when there are no rows. */
  empty?: ReactNode;
  /** Show this many and offer the rest. */
  limit?: number;
  selected?: string;
  /** Figures are compared down a column: keep the columns on a phone and scroll sideways. */
  figures?: boolean;
};

/**
 * A table that sorts by its headings. On a phone each row becomes a card whose cells carry
 * their headings, unless it holds figures; roles are spelled out because a row that is laid
 * out as a card is no table row to a screen reader otherwise.
 */
export function Table<T>({ rows, columns, rowKey, caption, empty, limit = 200, selected, figures }: Props<T>) {
  const [order, setOrder] = useState<{ key: string; down: boolean }>();
  const [all, setAll] = useState(false);
  const sorted = useMemo(() => {
    const by = columns.find((c) => c.key === order?.key)?.sort;
    if (!by || !order) return rows;
    const sign = order.down ? -1 : 1;
    return rows
      .map((row, i) => ({ row, i, v: by(row) }))
      .sort((a, b) => (a.v < b.v ? -sign : a.v > b.v ? sign : a.i - b.i))
      .map((x) => x.row);
  }, [rows, columns, order]);
  if (rows.length === 0 && empty) return <>{empty}</>;
  const shown = all ? sorted : sorted.slice(0, limit);
  return (
    <div className="table-box" tabIndex={0} role="region" aria-label={caption}>
      <table className={figures ? "table" : "table cards"} role="table">
        <caption className="visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((c) => (
              <Heading key={c.key} column={c} order={order} setOrder={setOrder} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {shown.map((row, i) => {
            const key = rowKey(row, i);
            return (
              <tr key={key} role="row" aria-current={selected === key || undefined}>
                {columns.map((c) => (
                  <td key={c.key} role="cell" className={cellClass(c)} data-label={c.title}>
                    {c.show ? c.show(row) : String((row as Record<string, unknown>)[c.key] ?? "–")}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <div className="table-more">
          <button type="button" className="button small" onClick={() => setAll(true)}>
            Show all {rows.length} rows
          </button>
        </div>
      )}
    </div>
  );
}

type HeadingProps<T> = { column: Column<T>; order: { key: string; down: boolean } | undefined; setOrder: (o: { key: string; down: boolean }) => void };

function Heading<T>({ column: c, order, setOrder }: HeadingProps<T>) {
  const active = order?.key === c.key;
  if (!c.sort) return <th scope="col" role="columnheader" className={cellClass(c)}>{c.title}</th>;
  return (
    <th scope="col" role="columnheader" className={cellClass(c)} aria-sort={active ? (order.down ? "descending" : "ascending") : "none"}>
      <button type="button" className="sort" onClick={() => setOrder({ key: c.key, down: active ? !order.down : false })}>
        {c.title}
        <span className="sort-mark" data-on={active} data-down={active && order.down}><Icon name="down" size={12} /></span>
      </button>
    </th>
  );
}

function cellClass<T>(c: Column<T>): string {
  return [c.align === "right" ? "right" : "", c.wide ? "wide" : "", c.minor ? "minor" : ""].filter(Boolean).join(" ");
}
