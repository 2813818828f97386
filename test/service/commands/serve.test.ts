import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { startGiteaSimulator } from '../../../simulators/gitea/simulator.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import type { Io } from '../../../src/app/commands/io.ts';
import { serve } from '../../../src/app/commands/serve.ts';
import { createContractWorld } from '../../contract/world.ts';
import { createTestDatabase, isOnCluster } from '../../database.ts';
import { onServer } from '../../database-server.ts';
import { inProcess } from '../../run-command.ts';
import { until } from '../../time.ts';

const listening = /"msg":"Plaudit listens on (http:\/\/127\.0\.0\.1:\d+) \((.*)\)\. Try http:\S+\/ or (\S+)"/;

describe('plaudit serve', () => {
  it('names the setting when a port, the address or DATA_DIR cannot be used', async () => {
    await using directory = await makeTemporaryDirectory();
    await using created = await createTestDatabase();
    await using taken = await startSimulator();
    const { port } = new URL(taken.url);
    for (const [settings, expected] of [
      [{ METRICS_PORT: port }, `METRICS_PORT: port ${port} is taken`],
      [{ HOST: '203.0.113.9' }, 'HOST: 203.0.113.9 is no address of this machine'],
      [{ METRICS_HOST: '203.0.113.9' }, 'METRICS_HOST: 203.0.113.9 is no address of this machine'],
    ] as const) {
      const environment = { DATA_DIR: directory.pathOf('data'), DATABASE_URL: created.url, ...settings };
      await assert.rejects(serve(inProcess(environment)), { message: expected });
    }
    if (process.platform !== 'linux') return;
    await assert.rejects(
      serve(inProcess({ DATA_DIR: '/proc/plaudit' })),
      /DATA_DIR: \/proc\/plaudit cannot be created; name a directory/,
    );
  });

  it('closes everything when the start fails after the database was opened', { skip: isOnCluster }, async () => {
    await using directory = await makeTemporaryDirectory();
    await using created = await createTestDatabase();
    await onServer(created.url, 'alter table secrets rename to away');
    const environment = { DATA_DIR: directory.pathOf('data'), DATABASE_URL: created.url, WORKERS: '1' };
    await assert.rejects(serve(inProcess(environment)), /relation "secrets" does not exist/);
    await until(async () => {
      const client = new Client({ connectionString: created.url });
      await client.connect();
      const { rowCount } = await client.query(
        'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      await client.end();
      return rowCount === 0 ? true : undefined;
    }, 'no session is left');
  });

  it('refuses a file and a database that cannot be read without their values', async () => {
    await using directory = await makeTemporaryDirectory();
    const environment = { LOG_LEVEL: 'warn', DATA_DIR: directory.pathOf('unused') };
    for (const [settings, expected] of [
      [{ GITHUB_TOKEN_FILE: '/nonexistent/secret-value' }, /^GITHUB_TOKEN_FILE names a file that can't be read/],
      [{ DATABASE_URL: 'postgresql://user:secret-value@127.0.0.1:9/none' }, /^The database does not respond/],
    ] as const) {
      const io = inProcess({ ...environment, ...settings });
      await assert.rejects(serve(io), ({ message }: Error) => {
        assert.match(message, expected);
        assert.doesNotMatch(message, /secret|\n/);
        return true;
      });
    }
  });

  it('names the configured hosts alone in the first line of serve, and not the quota of github.com', async () => {
    const { world } = createContractWorld();
    await using gitea = await startGiteaSimulator({ world });
    await using created = await createTestDatabase();
    await using directory = await makeTemporaryDirectory();
    const stopping = new AbortController();
    const printed: string[] = [];
    const io: Io = {
      ...inProcess({
        DATA_DIR: directory.pathOf('data'),
        DATABASE_URL: created.url,
        GITEA_URL: gitea.url,
        WORKERS: '1',
      }),
      signal: stopping.signal,
      print: (line) => {
        printed.push(line);
        stopping.abort();
      },
    };
    await serve(io);
    const [, url = '', facts = '', example = ''] = listening.exec(printed[0] ?? '') ?? [];
    assert.match(facts, /; gitea: version \S+, called without a token$/);
    assert.doesNotMatch(facts, /github/);
    assert.equal(example, `${url}/v1/gitea/entities/NAME`);
  });
});
