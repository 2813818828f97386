import { addRepository } from '../../simulators/world/activity.ts';
import type { Account } from '../../simulators/world/model.ts';
import type { Random } from '../../simulators/world/random.ts';
import type { World } from '../../simulators/world/world.ts';
import { findByName } from '../../src/accounts/store.ts';
import type { Core } from '../../src/app/core.ts';
import type { Work } from '../../src/sync/context.ts';
import { install } from '../../src/sync/installations/operator.ts';
import { collectNamedRepository } from '../../src/sync/streams/collect.ts';
import { accountCalled, members, privateRepositories } from './community.ts';
import { type Happening, type Life, plan, planWork } from './life.ts';

const dayMs = 86_400_000;
/** The share of days on which a person works on a private repository. */
const energy = 0.22;

/**
 * Plans the life of the private repositories. It happens after everything public has been collected, at earlier times of
 * the world's clock, so that no public number or id depends on it.
 * @param reader the account that the service reads them as.
 */
export function planPrivate(world: World, random: Random, until: number, reader: Account): Happening[] {
  return plan(world, random, until, (life) => {
    for (const place of privateRepositories) planRepository(life, place, until, reader);
  });
}

function planRepository(
  life: Life,
  { path, description, language, createdAt, people }: (typeof privateRepositories)[number],
  until: number,
  reader: Account,
): void {
  const { world, random } = life;
  const first = Date.parse(createdAt);
  life.plan(first, () => {
    const [owner = '', name = ''] = path.split('/');
    const ownerId = accountCalled(world, owner).id;
    const visible = { visibility: 'private' as const, collaboratorIds: [reader.id] };
    addRepository(world, { ownerId, name, description, language, ...visible, createdAt: world.now() });
  });
  for (let day = first + dayMs; day < until; day += dayMs) {
    for (const member of members.filter(({ login }) => people.includes(login))) {
      if (random.chance(energy)) planWork(life, member, { path, day, hasPullRequest: false });
    }
  }
}

/**
 * Installs the private repositories and reads them.
 * @param core has a credential that shows them.
 */
export async function collectPrivate({ sync, providers, database }: Core, work: Work): Promise<void> {
  const provider = providers.get('github');
  if (provider === undefined) throw new Error('GitHub is not configured');
  for (const { path } of privateRepositories) {
    const [owner = '', repository = ''] = path.split('/');
    const found = await findByName(database.connection, provider.name, owner);
    if (found?.state !== 'present') throw new Error(`${owner} is not stored`);
    const { account } = found;
    await install(sync, { account, provider, repository }, work.call);
    await collectNamedRepository(sync, { accountId: account.id, repository, withPrivate: true }, work);
  }
}
