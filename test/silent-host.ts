import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

/** A host from which no response comes. */
export interface SilentHost extends AsyncDisposable {
  port: number;
}

/** Starts a host that accepts connections, reads, and sends nothing. */
export async function startMuteHost(): Promise<SilentHost> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const listener = `const server = require('node:net').createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));`;
/** More than the queue of connections holds. */
const maxQueued = 16;
const connectsWithinMs = 300;

/**
 * Starts a host whose packets are lost: a stopped process, whose queue of connections is full, so that the system drops
 * further ones without a word.
 */
export async function startLostHost(): Promise<SilentHost> {
  const child = spawn(process.execPath, ['-e', listener], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const port = Number(line);
  child.kill('SIGSTOP');
  const queued: Socket[] = [];
  let isFull = false;
  while (!isFull) {
    assert.ok(queued.length < maxQueued, 'the queue is full');
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    queued.push(socket);
    isFull = await Promise.race([once(socket, 'connect').then(() => false), wait(connectsWithinMs).then(() => true)]);
  }
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of queued) socket.destroy();
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
