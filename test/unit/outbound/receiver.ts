import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts a server on this machine that stands for a third party. */
export async function serve(listener: RequestListener): Promise<{ url: string; host: string } & AsyncDisposable> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Starts a receiver that records the messages that it gets, with their ids. */
export async function recordMessages(onMessage: () => number = () => 200) {
  const received: { id: string; text: string; headers: Record<string, string> }[] = [];
  const server = await serve((request, response) => {
    void readBody(request).then((text) => {
      const headers = request.headers as Record<string, string>;
      received.push({ id: headers['webhook-id'] ?? '', text, headers });
      response.writeHead(onMessage()).end();
    });
  });
  return { ...server, heard: received };
}
