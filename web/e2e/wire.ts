import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/**
 * The wire between a browser and the product, which a test can cut. A browser's own
 * "offline" does not always reach a worker that has just begun; a cut wire is cut for all.
 */
export class Wire {
  url = "";
  private whole = true;
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
    if (!this.whole) return void ask.socket.destroy();
    const on = request({ host: product.hostname, port: product.port, method: ask.method, path: ask.url, headers: ask.headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    on.on("error", () => ask.socket.destroy());
    answer.on("close", () => on.destroy());
    ask.pipe(on);
  }

  /** Cuts the wire, also under what is on its way. */
  cut() {
    this.whole = false;
    for (const s of this.sockets) s.destroy();
  }

  mend() {
    this.whole = true;
  }

  async close() {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
