import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { api, body } from "../api/client";
import { Problem } from "../api/problem";
import { readEvents } from "../api/stream";
import type { Conversation } from "../api/types";

/** One's own conversations with an app's agents, newest first. */
export function useChats(app: string) {
  return useQuery({ queryKey: ["chats", app], queryFn: async () => (await body(api.GET("/api/v1/chat", { params: { query: { app } } }))).items });
}

/** A conversation so far. */
export function useChat(id: string | undefined) {
  return useQuery({ queryKey: ["run", id ?? "", "chat"], queryFn: () => body(api.GET("/api/v1/chat/{id}", { params: { path: { id: id ?? "" } } })), enabled: id !== undefined && id !== "" });
}

/** Starts a conversation. */
export function useStartChat() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: { app: string; agent?: string; case?: string; input?: unknown }) => body(api.POST("/api/v1/chat", { body: input })),
    onSuccess: (c) => {
      client.setQueryData(["run", c.id, "chat"], c);
      void client.invalidateQueries({ queryKey: ["chats", c.app] });
    },
  });
}

type Attached = { name: string; mime: string; ref: string };

/** Says something and gives the answer as it comes. */
export function useSay() {
  const client = useQueryClient();
  const [streaming, setStreaming] = useState("");
  const [progress, setProgress] = useState("");
  const [said, setSaid] = useState<string>();
  const [after, setAfter] = useState(0);
  const [error, setError] = useState<unknown>();
  const busy = said !== undefined;
  const say = useCallback(
    async (id: string, text: string, attached?: Attached[]) => {
      setSaid(text);
      setAfter(client.getQueryData<Conversation>(["run", id, "chat"])?.steps.at(-1)?.seq ?? 0);
      setStreaming("");
      setProgress("");
      setError(undefined);
      try {
        await readEvents(`/api/v1/chat/${encodeURIComponent(id)}/stream`, { text, attached }, (kind, data) => {
          if (kind === "text") setStreaming((s) => s + (data as { text: string }).text);
          if (kind === "progress") setProgress((data as { text: string }).text);
          if (kind === "problem") throw Problem.from((data as { status?: number }).status ?? 500, data);
          if (kind === "done") client.setQueryData(["run", id, "chat"], data as Conversation);
        });
      } catch (e) {
        setError(e);
      } finally {
        await client.invalidateQueries({ queryKey: ["run", id, "chat"] });
        setSaid(undefined);
        setStreaming("");
        setProgress("");
      }
    },
    [client],
  );
  return { say, busy, said, after, streaming, progress, error };
}

/** What is being said and answered: after which step, and how far it has come. */
export type Saying = Pick<ReturnType<typeof useSay>, "said" | "after" | "streaming" | "progress">;
