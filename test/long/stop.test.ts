import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../simulators/github/simulator.ts';
import { createTestDatabase } from '../database.ts';
import { startServiceProcess } from '../e2e/installed/service-process.ts';
import { engines } from '../integration/access/owner.ts';
import { program, programEnvironment } from '../program.ts';
import { until } from '../time.ts';

/** Sends requests one after another over one connection, until it is closed, and notes the statuses of the responses. */
async function requestUntilClosed(url: string, agent: Agent, statuses: number[]): Promise<void> {
  for (;;) {
    try {
      const sent = request(url, { agent }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      await response.resume().toArray();
      statuses.push(response.statusCode ?? 0);
    } catch {
      return;
    }
  }
}

describe('graceful stop of the service', () => {
  it('responds to every request that it received, hands over its jobs, and ends with 0', async () => {
    await using simulator = await startSimulator();
    await using database = await createTestDatabase();
    await using directory = await makeTemporaryDirectory();
    await using service = await startServiceProcess({
      DATABASE_URL: database.url,
      DATA_DIR: directory.path,
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
      GITHUB_TOKEN: simulator.tokens.public_only,
      LOOKUP_BUDGET_MS: '1000',
      RATE_LIMIT_PER_MINUTE: '1000000',
    });
    const address = `${service.url}/v1/github/entities`;
    await until(async () => ((await fetch(`${address}/ada-lovelace`)).ok ? true : undefined), 'an account is known');
    // Collecting goes on in the background, and a lookup takes longer than the stop may.
    await fetch(`${address}/${engines.name}/contributors`);
    simulator.faults.add({ kind: 'slow', delayMs: 20_000, times: 1000 });
    const lookups = ['person-1', 'person-2'].map((name) => fetch(`${address}/${name}`));
    using agents = new DisposableStack();
    const clients = ['ada-lovelace', 'ada-lovelace?fresh=1'].map((path) => {
      const agent = agents.adopt(new Agent({ keepAlive: true, maxSockets: 1 }), (agent) => agent.destroy());
      const statuses: number[] = [];
      return { statuses, ended: requestUntilClosed(`${address}/${path}`, agent, statuses) };
    });
    const requested = simulator.requests.length;
    await until(async () => (simulator.requests.length > requested ? true : undefined), 'a lookup is under way');
    const areBusy = (): boolean => clients.every(({ statuses }) => statuses.length > 10);
    await until(async () => (areBusy() ? true : undefined), 'clients receive responses');
    assert.equal(await service.stop(), 0, service.lines.join('\n'));
    for (const { statuses, ended } of clients) {
      await ended;
      assert.deepEqual([...new Set(statuses)], [200]);
    }
    for (const { status } of await Promise.all(lookups)) assert.equal(status, 202);
    assert.ok(!service.lines.some((line) => line.includes('did not end in time')), service.lines.join('\n'));
  });
});

/** Binds a name server that never responds. @returns undefined where this is not permitted. */
async function startMuteNameServer(): Promise<(Disposable & { address: string }) | undefined> {
  const address = '127.0.0.77';
  const socket = createSocket('udp4');
  try {
    socket.bind(53, address);
    await once(socket, 'listening');
  } catch {
    return undefined;
  }
  return { address, [Symbol.dispose]: () => void socket.close() };
}

describe('end of a process while a name service hangs', () => {
  for (const { title, workers, settings, status } of [
    { title: 'stops with 0 while a job waits for the address of its host', workers: '1', settings: {}, status: 0 },
    { title: 'stops with 0 where processes wait for the address of their host', workers: '2', settings: {}, status: 0 },
    {
      title: 'ends with 1 where the address of the database is not found',
      workers: '1',
      settings: { DATABASE_URL: 'postgresql://user@database.example.test/plaudit' },
      status: 1,
    },
  ]) {
    it(title, async (t) => {
      using nameServer = await startMuteNameServer();
      if (nameServer === undefined || process.getuid?.() !== 0) return t.skip('needs a name server of its own');
      await using database = await createTestDatabase();
      await using directory = await makeTemporaryDirectory();
      const resolverFile = directory.pathOf('resolv.conf');
      // A lookup then lasts longer than the test.
      writeFileSync(resolverFile, `nameserver ${nameServer.address}\noptions timeout:30 attempts:5\n`);
      const command = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';
      const args = ['-m', 'sh', '-c', command, resolverFile, process.execPath, program, 'serve'];
      const child = spawn('unshare', args, {
        env: {
          ...programEnvironment(),
          PORT: '0',
          METRICS_PORT: '0',
          LOG_LEVEL: 'info',
          WORKERS: workers,
          DATA_DIR: directory.pathOf('data'),
          DATABASE_URL: database.url,
          GITHUB_URL: 'http://host.example.test',
          GITHUB_API_URL: 'http://host.example.test/api',
          LOOKUP_BUDGET_MS: '300',
          ...settings,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void (output += chunk));
      try {
        if (status === 0) {
          const url = await until(async () => /listens on (http:[^\s,"]+)/.exec(output)?.[1], 'it listens');
          await fetch(`${url}/v1/github/entities/ada-lovelace`);
          child.kill('SIGTERM');
        }
        await until(async () => (child.exitCode === null && child.signalCode === null ? undefined : true), 'it ends');
        assert.equal(child.exitCode, status, output);
      } finally {
        child.kill('SIGKILL');
      }
    });
  }
});
