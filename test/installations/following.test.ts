import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from '../access/state.ts';
import { readPermissions } from '../github/app/installation.ts';
import { type Simulator, startSimulator } from '../github/simulator.ts';
import type { Repository } from '../github/world/model.ts';
import { deleteRepository, renameRepository, setVisibility, transferRepository } from '../github/world/mutations.ts';
import { clock, type TestService } from '../service.ts';
import { engine, organization, reconcileNow, shown, startAppService, untilShown } from './installed.ts';

/** Tells what happened to a repository, as GitHub would. */
function tell(simulator: Simulator, repository: Repository, action: string): void {
  const { world } = simulator;
  const senderId = organization(simulator).id;
  world.happened({ name: 'repository', action, repository, ownerId: repository.ownerId, senderId, details: {} });
}

async function missing({ database }: TestService): Promise<string[]> {
  const { rows } = await database.pool.query<{ missing_permissions: string[] }>(
    'select missing_permissions from installations where removed_at is null',
  );
  return rows[0]?.missing_permissions ?? assert.fail();
}

for (const way of ['deliveries', 'looking alone'] as const) {
  test(`everything that happens to an installation and what it covers is followed by ${way}`, async () => {
    const time = clock();
    await using simulator = await startSimulator({ now: time.now });
    await using service = await startAppService(simulator, { now: time.now, isToldNothing: way === 'looking alone' });
    const { app, world } = simulator;
    const follow = async (): Promise<void> => {
      await app.deliverer.idle();
      if (way === 'deliveries') return;
      time.advance(3700);
      await reconcileNow(service);
    };
    const hidden = engine(simulator, 'hidden-engine');
    const first = engine(simulator, 'engine-1');
    const installation = app.install(organization(simulator), [hidden]);
    await follow();
    await untilShown(service, 'hidden-engine', /^private installed collected$/);
    app.addRepositories(installation, [first]);
    await follow();
    await untilShown(service, 'engine-1', /^public installed/);
    app.removeRepositories(installation, [hidden]);
    await follow();
    await untilShown(service, 'hidden-engine', /^private collected gone$/);
    app.addRepositories(installation, [hidden]);
    await follow();
    await untilShown(service, 'hidden-engine', /^private installed collected$/);
    app.suspend(installation);
    await follow();
    await untilShown(service, 'hidden-engine', /^private collected gone$/);
    await untilShown(service, 'engine-1', /^public( collected)?$/);
    app.unsuspend(installation);
    await follow();
    await untilShown(service, 'hidden-engine', /^private installed collected$/);
    assert.deepEqual(await missing(service), []);

    const { issues: _issues, ...others } = readPermissions;
    app.acceptPermissions(installation, others);
    await follow();
    await settled(service);
    assert.deepEqual(await missing(service), ['issues']);
    app.acceptPermissions(installation, { ...readPermissions, issues: 'write' });
    await follow();
    await settled(service);
    assert.deepEqual(await missing(service), []);

    renameRepository(world, hidden, 'renamed-engine');
    tell(simulator, hidden, 'renamed');
    await follow();
    await untilShown(service, 'renamed-engine', /^private installed collected$/);
    for (const [visibility, action] of [
      ['public', 'publicized'],
      ['private', 'privatized'],
    ] as const) {
      setVisibility(world, hidden, visibility);
      tell(simulator, hidden, action);
      await follow();
      await untilShown(service, 'renamed-engine', new RegExp(`^${visibility} installed collected$`));
    }
    const { rows } = await service.database.pool.query('select access from repositories where external_id = $1', [
      String(hidden.id),
    ]);
    assert.deepEqual(rows, [{ access: `installation:${installation.id}` }]);

    const keeper = world.accountByLogin(simulator.accounts.private_owner) ?? assert.fail();
    transferRepository(world, hidden, keeper);
    tell(simulator, hidden, 'transferred');
    await follow();
    await untilShown(service, 'renamed-engine', /^(absent|private collected gone)$/);
    transferRepository(world, hidden, organization(simulator));
    tell(simulator, hidden, 'transferred');
    app.addRepositories(installation, [hidden]);
    await follow();
    await untilShown(service, 'renamed-engine', /^private installed collected$/);
    deleteRepository(world, first);
    tell(simulator, first, 'deleted');
    await follow();
    await untilShown(service, 'engine-1', /gone$/);
    app.uninstall(installation);
    await follow();
    await untilShown(service, 'renamed-engine', /^private collected gone$/);
    await settled(service);
    const left = Object.values(await shown(service)).filter((state) => state.includes('installed'));
    assert.deepEqual(left, []);
  });
}

test('what an installation does not show any more is hidden by the delivery itself, while GitHub is away', async () => {
  await using simulator = await startSimulator();
  await using service = await startAppService(simulator);
  const { app, world } = simulator;
  const installation = app.install(organization(simulator));
  await untilShown(service, 'hidden-engine', /^private installed collected$/);
  await settled(service);
  for (const [lose, regain] of [
    [() => app.suspend(installation), () => app.unsuspend(installation)],
    [
      () => {
        app.uninstall(installation);
        installation.repositoryIds.clear();
      },
      () => void 0,
    ],
  ] as const) {
    simulator.faults.add({ kind: 'unavailable', times: 1_000_000 });
    lose();
    await app.deliverer.idle();
    await untilShown(service, 'hidden-engine', /^private (installed )?collected gone$/);
    assert.match((await shown(service))['engine-1'] ?? '', /^public/);
    simulator.faults.clear();
    regain();
    if (app.installations.size > 0) await untilShown(service, 'hidden-engine', /^private installed collected$/);
  }
  assert.equal(world.repository('analytical-engines', 'hidden-engine')?.visibility, 'private');
});

test('what an account with everything installed makes later is installed too', async () => {
  await using simulator = await startSimulator();
  await using service = await startAppService(simulator);
  const { app, world } = simulator;
  const hidden = engine(simulator, 'hidden-engine');
  const keeper = world.accountByLogin(simulator.accounts.private_owner) ?? assert.fail();
  transferRepository(world, hidden, keeper);
  app.install(organization(simulator));
  await untilShown(service, 'engine-2', /^public installed collected$/);
  assert.equal((await shown(service))['hidden-engine'], undefined);
  transferRepository(world, hidden, organization(simulator));
  tell(simulator, hidden, 'created');
  await untilShown(service, 'hidden-engine', /^private installed collected$/);
});
