import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { openDatabase } from '../../src/database/connections/open.ts';
import { createTestDatabase } from '../database.ts';
import { sampled } from '../depth.ts';
import { untilIdle } from '../e2e/access/state.ts';
import {
  appSettings,
  engine,
  organization,
  repositoryStates,
  runTask,
  startAppService,
  untilRepositoryIs,
} from '../e2e/installations/installed.ts';
import { program, programEnvironment } from '../program.ts';
import { startCountingSimulator } from './counting-requests.ts';

/** Lives of a process, in requests to GitHub: each ends a little later than the one before. */
const lives = sampled([1, 2, 3, 4, 5, 7, 9, 12, 16, 20], 6);

describe('recovery of installations after kills', () => {
  it('follows an installation, its narrowing and its end although the service is killed after any request', async () => {
    await using counting = await startCountingSimulator();
    const { simulator } = counting;
    await using database = await createTestDatabase();
    await using stack = new AsyncDisposableStack();
    const watched = await openDatabase({ databaseUrl: database.url, dataDir: '/nonexistent', log: () => {} });
    stack.defer(() => watched.close());
    await using directory = await makeTemporaryDirectory();
    const { app } = simulator;
    const hidden = engine(simulator, 'hidden-engine');
    const environment = {
      ...programEnvironment(),
      PORT: '0',
      METRICS_PORT: '0',
      DATA_DIR: directory.path,
      DATABASE_URL: database.url,
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
      ...appSettings(simulator),
    };
    /** Runs the service and kills it after this number of requests, or when it has nothing to do before that. */
    const runUntilKilled = async (requests: number): Promise<void> => {
      const child = spawn(process.execPath, [program, 'serve'], {
        env: environment,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'exit');
      const killed = Promise.withResolvers<void>();
      counting.afterRequests(requests, () => {
        child.kill('SIGKILL');
        killed.resolve();
      });
      const lines = createInterface({ input: child.stdout });
      await Promise.race([
        killed.promise,
        once(lines, 'line').then(() => untilIdle({ database: watched }, { withinMs: 3000 }).catch(() => {})),
      ]);
      child.kill('SIGKILL');
      await ended;
    };
    const installation = app.install(organization(simulator), [hidden, engine(simulator, 'engine-1')]);
    for (const requests of lives) await runUntilKilled(requests);
    counting.stop();
    {
      await using service = await startAppService(simulator, { databaseUrl: database.url, hasNoDeliveries: true });
      await untilRepositoryIs(service, 'hidden-engine', /^private installed collected$/);
      await untilRepositoryIs(service, 'engine-1', /^public installed collected$/);
    }
    app.removeRepositories(installation, [hidden]);
    for (const requests of sampled([2, 1, 3], 3)) await runUntilKilled(requests);
    counting.stop();
    {
      await using service = await startAppService(simulator, { databaseUrl: database.url, hasNoDeliveries: true });
      await untilRepositoryIs(service, 'hidden-engine', /^private collected deleted$/);
    }
    app.uninstall(installation);
    await runUntilKilled(1);
    await using service = await startAppService(simulator, { databaseUrl: database.url, hasNoDeliveries: true });
    await runTask(service, 'reconcile_installations');
    await untilRepositoryIs(service, 'engine-1', /^public( collected)?$/);
    const states = Object.values(await repositoryStates(service));
    assert.ok(states.every((state) => !state.includes('installed')));
  });
});
