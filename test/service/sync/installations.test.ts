import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPermissions } from '../../../simulators/github/app/installation.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import {
  deleteRepository,
  renameRepository,
  setVisibility,
  transferRepository,
} from '../../../simulators/world/mutations.ts';
import { sampled } from '../../depth.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import {
  engine,
  organization,
  reconcileNow,
  repositoryStates,
  untilRepositoryIs,
} from '../../e2e/installations/installed.ts';
import type { TestService } from '../../e2e/service.ts';
import { clock } from '../../time.ts';
import { startSteppedApp } from './stepped-service.ts';

async function missingPermissions({ database }: TestService): Promise<string[]> {
  const { rows } = await database.pool.query<{ missing_permissions: string[] }>(
    'select missing_permissions from installations where removed_at is null',
  );
  return rows[0]?.missing_permissions ?? assert.fail();
}

/** Starts a service that is installed on two repositories, and returns how it follows changes. */
async function startFollowing(source: (typeof sources)[number]) {
  const time = clock();
  const stack = new AsyncDisposableStack();
  const simulator = stack.use(await startSimulator({ now: time.now, repositories: 2 }));
  const service = stack.use(
    await startSteppedApp(simulator, { now: time.now, hasNoDeliveries: source === 'the hourly comparison alone' }),
  );
  const { app } = simulator;
  const follow = async (): Promise<void> => {
    await app.deliverer.idle();
    if (source === 'deliveries') return;
    time.advance(3700);
    await reconcileNow(service);
  };
  const [hidden, first] = [engine(simulator, 'hidden-engine'), engine(simulator, 'engine-1')];
  const installation = app.install(organization(simulator), [hidden]);
  await follow();
  await untilRepositoryIs(service, 'hidden-engine', /^private installed collected$/);
  app.addRepositories(installation, [first]);
  await follow();
  await untilRepositoryIs(service, 'engine-1', /^public installed/);
  const close = (): Promise<void> => stack.disposeAsync();
  return { simulator, service, installation, hidden, first, follow, [Symbol.asyncDispose]: close };
}

const sources = ['deliveries', 'the hourly comparison alone'] as const;

describe('changes of installations', () => {
  for (const source of sampled(sources, 2)) {
    it(`follows a selection, suspension, permissions, renames, visibility, transfers and the end by ${source}`, async () => {
      await using setting = await startFollowing(source);
      const { simulator, service, installation, hidden, first, follow } = setting;
      const { app, world } = simulator;
      app.removeRepositories(installation, [hidden]);
      await follow();
      await untilRepositoryIs(service, 'hidden-engine', /^private collected deleted$/);
      app.addRepositories(installation, [hidden]);
      await follow();
      await untilRepositoryIs(service, 'hidden-engine', /^private installed collected$/);
      app.suspend(installation);
      await follow();
      await untilRepositoryIs(service, 'hidden-engine', /^private collected deleted$/);
      await untilRepositoryIs(service, 'engine-1', /^public( collected)?$/);
      app.unsuspend(installation);
      await follow();
      await untilRepositoryIs(service, 'hidden-engine', /^private installed collected$/);
      await untilIdle(service);
      assert.deepEqual(await missingPermissions(service), []);
      const { issues: _issues, ...others } = readPermissions;
      app.acceptPermissions(installation, others);
      await follow();
      await untilIdle(service);
      assert.deepEqual(await missingPermissions(service), ['issues']);
      app.acceptPermissions(installation, { ...readPermissions, issues: 'write' });
      await follow();
      await untilIdle(service);
      assert.deepEqual(await missingPermissions(service), []);

      renameRepository(world, hidden, 'renamed-engine');
      await follow();
      await untilRepositoryIs(service, 'renamed-engine', /^private installed collected$/);
      for (const visibility of ['public', 'private'] as const) {
        setVisibility(world, hidden, visibility);
        await follow();
        await untilRepositoryIs(service, 'renamed-engine', new RegExp(`^${visibility} installed collected$`));
      }
      const { rows } = await service.database.pool.query(
        'select credential_name from repositories where external_id = $1',
        [String(hidden.id)],
      );
      assert.deepEqual(rows, [{ credential_name: `installation:${installation.id}` }]);
      const keeper = world.accountByLogin(simulator.accounts.private_owner) ?? assert.fail();
      transferRepository(world, hidden, keeper);
      await follow();
      await untilRepositoryIs(service, 'renamed-engine', /^(absent|private collected deleted)$/);
      transferRepository(world, hidden, organization(simulator));
      app.addRepositories(installation, [hidden]);
      await follow();
      await untilRepositoryIs(service, 'renamed-engine', /^private installed collected$/);
      app.addRepositories(installation, [engine(simulator, 'engine-2')]);
      await follow();
      await untilRepositoryIs(service, 'engine-2', /^public installed/);
      deleteRepository(world, first);
      await follow();
      await untilRepositoryIs(service, 'engine-1', /deleted$/);

      app.uninstall(installation);
      await follow();
      await untilRepositoryIs(service, 'renamed-engine', /^private collected deleted$/);
      await untilRepositoryIs(service, 'engine-2', /^public( collected)?$/);
    });
  }

  it('installs new repositories of an account with everything, and hides them by a delivery while GitHub is unavailable', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using service = await startSteppedApp(simulator);
    const { app, world } = simulator;
    const hidden = engine(simulator, 'hidden-engine');
    const keeper = world.accountByLogin(simulator.accounts.private_owner) ?? assert.fail();
    transferRepository(world, hidden, keeper);
    const installation = app.install(organization(simulator));
    await untilRepositoryIs(service, 'engine-2', /^public installed collected$/);
    assert.equal((await repositoryStates(service))['hidden-engine'], undefined);
    transferRepository(world, hidden, organization(simulator));
    await untilRepositoryIs(service, 'hidden-engine', /^private installed collected$/);
    await untilIdle(service);
    const whileUnavailable = async (lose: () => void): Promise<void> => {
      simulator.faults.add({ kind: 'unavailable', times: 1_000_000 });
      lose();
      await app.deliverer.idle();
      await untilRepositoryIs(service, 'hidden-engine', /^private (installed )?collected deleted$/);
      assert.match((await repositoryStates(service))['engine-1'] ?? '', /^public/);
      simulator.faults.clear();
    };
    await whileUnavailable(() => app.suspend(installation));
    app.unsuspend(installation);
    await untilRepositoryIs(service, 'hidden-engine', /^private installed collected$/);
    await whileUnavailable(() => app.uninstall(installation));
  });
});
