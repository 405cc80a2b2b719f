import { useQuery } from "@tanstack/react-query";
import { api, body } from "../api/client";
import { loadApp } from "../apps";
import type { View } from "../api/types";

/** The apps one may see. */
export function useApps() {
  return useQuery({ queryKey: ["apps"], queryFn: async () => (await body(api.GET("/api/v1/apps"))).items, staleTime: 60_000 });
}

/** An app with its agents, tools, rules and triggers. */
export function useApp(id: string) {
  return useQuery({ queryKey: ["apps", id], queryFn: () => body(api.GET("/api/v1/apps/{app}", { params: { path: { app: id } } })), enabled: id !== "", staleTime: 60_000 });
}

/** The pages an app brings, and what it adds to its cases. */
export function useAppModule(id: string) {
  return useQuery({ queryKey: ["app-module", id], queryFn: () => loadApp(id), enabled: id !== "", staleTime: Infinity, retry: false });
}

/** How each kind of an app's evidence is shown. */
export function useViews(id: string): Record<string, View> {
  return (useApp(id).data?.views ?? {}) as Record<string, View>;
}

/** The title of an app by its ID. */
export function useAppTitle(): (id: string) => string {
  const { data } = useApps();
  return (id) => data?.find((a) => a.id === id)?.title ?? id;
}
