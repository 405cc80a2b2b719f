import { Problem } from "./problem";

/** Posts JSON and hands on the server-sent events of the answer, one by one. */
export async function readEvents(path: string, json: unknown, take: (kind: string, data: unknown) => void): Promise<void> {
  let response: Response;
  try {
    response = await fetch(path, { method: "POST", credentials: "same-origin", headers: { "Content-Type": "application/json", Accept: "text/event-stream" }, body: JSON.stringify(json) });
  } catch {
    throw new Problem(0, "");
  }
  if (!response.ok || !response.body) throw Problem.from(response.status, await response.json().catch(() => undefined));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    rest += value ?? "";
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = done ? "" : (blocks.pop() ?? "");
    for (const block of blocks) parseBlock(block, take);
    if (done) return;
  }
}

/** Reads one block of a stream: its kind and its data. Comments are passed over. */
export function parseBlock(block: string, take: (kind: string, data: unknown) => void) {
  let kind = "message";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith("event:")) kind = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  if (data.length > 0) take(kind, JSON.parse(data.join("\n")));
}
