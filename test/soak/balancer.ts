import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A load balancer before several nodes, which sends a request to each other node when the connection to one fails, as
 * nginx does by default (`proxy_next_upstream error`).
 */
export class Balancer {
  readonly url: string;
  readonly #nodes = new Set<string>();
  readonly #close: () => Promise<void>;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  static async start(): Promise<Balancer> {
    let balancer: Balancer | undefined;
    const server = createServer((incoming, reply) => {
      void balancer?.forward(incoming, reply);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    balancer = new Balancer(`http://127.0.0.1:${port}`, async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    return balancer;
  }

  add(url: string): void {
    this.#nodes.add(url);
  }

  remove(url: string): void {
    this.#nodes.delete(url);
  }

  async close(): Promise<void> {
    await this.#close();
  }

  async forward(incoming: IncomingMessage, reply: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const nodes = [...this.#nodes];
    const first = Math.floor(Math.random() * nodes.length);
    for (const node of [...nodes.slice(first), ...nodes.slice(0, first)]) {
      const isSent = await send(new URL(incoming.url ?? '/', node), incoming, body, reply);
      if (isSent) return;
    }
    reply.writeHead(502).end('no node responds');
  }
}

/** @returns false when the connection to the node failed before a whole response arrived. */
async function send(url: URL, incoming: IncomingMessage, body: Buffer, reply: ServerResponse): Promise<boolean> {
  const { method, headers } = incoming;
  const sent = request(url, { method, headers: { ...headers, host: url.host }, agent: false });
  sent.end(body);
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    reply.writeHead(response.statusCode ?? 502, response.headers).end(Buffer.concat(chunks));
    return true;
  } catch {
    return false;
  }
}
