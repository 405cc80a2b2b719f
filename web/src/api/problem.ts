/** A refused request, as the API explains it (problem details, RFC 9457). */
export class Problem extends Error {
  readonly status: number;
  readonly fields: { location?: string; message?: string }[];

  constructor(status: number, message: string, fields: Problem["fields"] = []) {
    super(message);
    this.name = "Problem";
    this.status = status;
    this.fields = fields;
  }

  /** Reads the problem from a response's body. */
  static from(status: number, body: unknown): Problem {
    if (body !== null && typeof body === "object") {
      const b = body as { detail?: string; title?: string; errors?: Problem["fields"] | null };
      return new Problem(status, b.detail || b.title || "", b.errors ?? []);
    }
    return new Problem(status, "");
  }
}
