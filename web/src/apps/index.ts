import type { ComponentType, ReactNode } from "react";
import type { Case, Evidence, Finding } from "../api/types";

/** A page that only one app has, at /apps/<id>/<path>. */
export type AppPage = {
  /** "" is the app's landing page; "districts/:code" takes a parameter. */
  path: string;
  title: string;
  element: ReactNode;
  /** Shown among the app's tabs; pages with a parameter are not unless it says so. */
  tab?: boolean;
  /** Shown only to holders of one of these roles. The server checks again. */
  roles?: string[];
};

/** Something an app adds to the pages of its cases. */
export type CasePart = {
  /** The last part of the address when it is a tab: "mail". */
  path: string;
  title: string;
  /** On the overview, above the findings, or as a tab of its own. */
  place?: "overview" | "tab";
  element: ComponentType<CasePartProps>;
};

export type CasePartProps = { case: Case; evidence: Evidence[]; findings: Finding[] };

/** What an app's index.tsx exports. */
export type AppModule = { pages: AppPage[]; caseParts?: CasePart[] };

const loaders = import.meta.glob<AppModule>("./*/index.tsx");
const loaded = new Map<string, Promise<AppModule>>();
const none: AppModule = { pages: [] };

/** Fetches an app's pages, once. An app without a folder has none. */
export function loadApp(id: string): Promise<AppModule> {
  let module = loaded.get(id);
  if (!module) {
    const load = loaders[`./${id}/index.tsx`];
    module = load ? load() : Promise.resolve(none);
    module.catch(() => loaded.delete(id));
    loaded.set(id, module);
  }
  return module;
}
