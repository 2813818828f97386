import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../simulators/github/simulator.ts';
import { openDatabase } from '../../src/database/connections/open.ts';
import { createTestDatabase } from '../database.ts';
import { startTestService } from '../e2e/service.ts';
import { engines, jsonRequest, serviceToken } from '../integration/access/owner.ts';
import { prepareAwarding } from '../integration/notifications/outbox.ts';
import { program, programEnvironment } from '../program.ts';
import { until } from '../time.ts';
import { recordMessages } from '../unit/outbound/receiver.ts';

const now = (): Date => new Date();

describe('notifications', () => {
  it('sends each message once from two nodes', async () => {
    await using receiver = await recordMessages();
    await using simulator = await startSimulator({ repositories: 2 });
    const settings = { OUTBOUND_ALLOW: receiver.host };
    await using first = await startTestService({ simulator, settings });
    await using second = await startTestService({ simulator, settings, databaseUrl: first.databaseUrl });
    const awarding = await prepareAwarding(second.database, now);
    const names = ['a', 'b', 'c'];
    await awarding.follow(
      names.map((name) => ({ name, type: 'slack', url: `${receiver.url}/${name}`, achievements: ['First'] })),
    );
    const people = Array.from({ length: 20 }, (_, index) => `winner-${index}`);
    await Promise.all(people.map((person) => awarding.award('First', person)));
    await until(
      async () => ((await awarding.rows()).every(({ state }) => state === 'sent') ? true : undefined),
      'all are sent',
    );
    const notified = receiver.heard.map(({ text }) => /winner-\d+/.exec(text)?.[0] ?? '').toSorted();
    assert.deepEqual(notified, people.flatMap((person) => names.map(() => person)).toSorted());
  });

  it('loses no message when it is killed while sending, and repeats none under another id', async () => {
    let kill: (() => void) | undefined;
    await using receiver = await recordMessages(() => {
      kill?.();
      return 200;
    });
    await using created = await createTestDatabase();
    await using directory = await makeTemporaryDirectory();
    await using simulator = await startSimulator({ repositories: 2 });
    const settings = { OUTBOUND_ALLOW: receiver.host };
    {
      await using service = await startTestService({ simulator, settings, databaseUrl: created.url });
      const token = await serviceToken(service, simulator, engines);
      const secret = jsonRequest('PUT', token, { url: receiver.url });
      assert.equal((await service.get(`${engines.name}/webhook-secrets`, secret)).status, 200);
    }
    const database = await openDatabase({ databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} });
    const awarding = await prepareAwarding(database, now, engines.name);
    await awarding.follow([{ name: 'hook', type: 'http', url: receiver.url, achievements: ['First'] }]);
    for (const person of ['one', 'two', 'three']) await awarding.award('First', person);
    await database.close();
    assert.equal(receiver.heard.length, 0);
    for (let life = 1; life <= 2; life += 1) {
      const child = spawn(process.execPath, [program, 'serve'], {
        env: {
          ...programEnvironment(),
          PORT: '0',
          METRICS_PORT: '0',
          DATA_DIR: directory.path,
          DATABASE_URL: created.url,
          GITHUB_URL: simulator.url,
          GITHUB_API_URL: simulator.apiUrl,
          ...settings,
        },
        stdio: 'ignore',
      });
      kill = () => void child.kill('SIGKILL');
      await once(child, 'exit');
      assert.equal(receiver.heard.length, life);
    }
    kill = undefined;
    await using service = await startTestService({ simulator, settings, databaseUrl: created.url });
    const states = async (): Promise<{ id: string; state: string }[]> =>
      (await service.database.pool.query('select id, state from notifications order by id')).rows;
    await until(
      async () => ((await states()).every(({ state }) => state === 'sent') ? true : undefined),
      'all are sent',
    );
    const ids = (await states()).map(({ id }) => id);
    assert.equal(ids.length, 3);
    assert.deepEqual([...new Set(receiver.heard.map(({ id }) => id))].toSorted(), ids.toSorted());
    assert.equal(receiver.heard.length, 5, 'one again for each kill');
    const bodies = new Map(receiver.heard.map(({ id, text }) => [id, text]));
    assert.ok(receiver.heard.every(({ id, text }) => bodies.get(id) === text));
  });
});
