import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/**
 * The wire between a browser and the product, which a test can cut. A browser's own
 * "offline" does not always reach a worker that has just begun; a cut wire is cut for all.
 */
export class Wire {
  url = "";
  private broken: string[] = []; // paths below which nothing gets through
  private deaf = ""; // the path below which no answer comes back
  private readonly sockets = new Set<Socket>();
  private constructor(private readonly server: Server) {}

  /** Lays a wire to the product, with an address of its own. */
  static async to(product: string): Promise<Wire> {
    const server = createServer((ask, answer) => wire.pass(new URL(product), ask, answer));
    const wire = new Wire(server);
    server.on("connection", (s) => {
      wire.sockets.add(s);
      s.once("close", () => wire.sockets.delete(s));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    wire.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return wire;
  }

  private pass(product: URL, ask: IncomingMessage, answer: ServerResponse) {
    const below = (path: string) => ask.url?.startsWith(path);
    if (this.broken.some(below)) return void ask.socket.destroy();
    const on = request({ host: product.hostname, port: product.port, method: ask.method, path: ask.url, headers: ask.headers }, (got) => {
      if (this.deaf !== "" && below(this.deaf)) return void got.resume().once("end", () => ask.socket.destroy());
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    on.on("error", () => ask.socket.destroy());
    answer.on("close", () => on.destroy());
    ask.pipe(on);
  }

  /** Cuts the wire, also under what is on its way: whole, or for what is asked below some paths. */
  cut(...paths: string[]) {
    this.broken = paths.length > 0 ? paths : ["/"];
    for (const s of this.sockets) s.destroy();
  }

  /** Lets everything through that is asked below a path, and loses the answer. */
  loseAnswers(path: string) {
    this.deaf = path;
  }

  mend() {
    this.broken = [];
    this.deaf = "";
  }

  async close() {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
