import { useCallback } from "react";
import { useLocation, useSearch } from "wouter";

/** The filters of a page, kept in its address so that it can be shared and gone back to. */
export function useQueryState(): [get: (name: string) => string, set: (changes: Record<string, string>) => void] {
  const search = useSearch();
  const [path, go] = useLocation();
  const get = useCallback((name: string) => new URLSearchParams(search).get(name) ?? "", [search]);
  const set = useCallback(
    (changes: Record<string, string>) => {
      const next = new URLSearchParams(search);
      for (const [k, v] of Object.entries(changes)) {
        if (v === "") next.delete(k);
        else next.set(k, v);
      }
      const text = next.toString();
      go(text === "" ? path : `${path}?${text}`, { replace: true });
    },
    [search, path, go],
  );
  return [get, set];
}
