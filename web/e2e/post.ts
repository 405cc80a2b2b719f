import { createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** A post office: an SMTP server that takes every mail, or keeps its sender waiting. */
export class Post {
  port = 0;
  readonly taken: string[] = [];
  private held?: { fits: (mail: string) => boolean; reached: () => void };
  private readonly sockets = new Set<Socket>();
  private constructor(private readonly server: Server) {}

  static async open(): Promise<Post> {
    const server = createServer((s) => post.talk(s));
    const post = new Post(server);
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    post.port = (server.address() as AddressInfo).port;
    return post;
  }

  /** Takes the next mail that fits and never says so; resolves once it is there. */
  hold(fits: (mail: string) => boolean): Promise<void> {
    return new Promise((reached) => (this.held = { fits, reached }));
  }

  private talk(s: Socket) {
    this.sockets.add(s);
    s.on("error", () => s.destroy()).once("close", () => this.sockets.delete(s));
    let text = "";
    let mail = false;
    s.write("220 post.test ESMTP\r\n");
    s.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      for (;;) {
        const end = text.indexOf(mail ? "\r\n.\r\n" : "\r\n");
        if (end < 0) return;
        const said = text.slice(0, end);
        text = text.slice(end + (mail ? 5 : 2));
        const verb = said.slice(0, 4).toUpperCase();
        if (mail) {
          mail = false;
          if (!this.take(said)) return;
          s.write("250 taken\r\n");
        } else if (verb === "DATA") {
          mail = true;
          s.write("354 go on\r\n");
        } else if (verb === "QUIT") s.end("221 goodbye\r\n");
        else s.write("250 ok\r\n");
      }
    });
  }

  /** Takes a mail and says whether its sender is to know. */
  private take(mail: string): boolean {
    this.taken.push(mail);
    if (!this.held?.fits(mail)) return true;
    this.held.reached();
    this.held = undefined;
    return false;
  }

  async close() {
    for (const s of this.sockets) s.destroy();
    await new Promise((closed) => this.server.close(closed));
  }
}
