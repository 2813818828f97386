import assert from 'node:assert/strict';
import type { Simulator } from '../../../../simulators/github/simulator.ts';
import type { Repository } from '../../../../simulators/world/model.ts';
import { writeFile } from '../../../../simulators/world/repository-changes.ts';
import { type FileText, toYaml } from '../../../integration/achievements/awards/every-feature.ts';
import { until } from '../../../time.ts';
import { untilIdle } from '../../access/state.ts';
import { engine, organization, runTask, untilRepositoryIs } from '../../installations/installed.ts';
import type { TestService } from '../../service.ts';
import { earnedIn, findStoredAwards } from './expected-awards.ts';

export const filePath = '.plaudit/config.yaml';
const author = { name: 'Keeper', email: 'keeper@example.org' };

/** Returns the repository in which achievements are awarded. */
export function awardingRepository(simulator: Simulator): Repository {
  return engine(simulator, 'engine-1');
}

/** Writes a file of achievements to the default branch; null removes it. */
export function writeAchievementsFile(simulator: Simulator, file: FileText | string | null, path = filePath): void {
  const text = file === null || typeof file === 'string' ? file : toYaml(file);
  writeFile(simulator.world, awardingRepository(simulator), path, text, author);
}

/** Installs the service, and lets a minute pass, after which all data is known. */
export async function install(service: TestService, simulator: Simulator): Promise<void> {
  simulator.app.install(organization(simulator));
  await untilRepositoryIs(service, 'engine-1', /installed/);
  await until(async () => {
    await poll(service);
    const { rows } = await service.database.pool.query(
      `select 1 from streams s join repositories r on r.id = s.repository_id
       where r.name = 'engine-1' and s.completed_at is not null and (s.is_deep or s.name = 'commits')`,
    );
    return rows.length >= 7 ? true : undefined;
  }, 'the repository is known at full depth');
}

/** Runs the poll of every minute, which finds changes without a delivery. */
export async function poll(service: TestService): Promise<void> {
  await untilIdle(service);
  await service.database.pool.query('delete from repository_polls');
  await runTask(service, 'poll_due');
  await untilIdle(service);
}

/** Returns the stored awards that are not revoked. */
export function findAwards(service: Pick<TestService, 'database'>, simulator: Simulator): Promise<string[]> {
  return findStoredAwards(service.database.pool, awardingRepository(simulator));
}

/** Waits until exactly these awards are stored. */
export async function untilAwarded(
  service: Pick<TestService, 'database' | 'work'>,
  simulator: Simulator,
  expected: string[],
): Promise<void> {
  let awarded: string[] = [];
  await until(async () => {
    await service.work?.();
    awarded = await findAwards(service, simulator);
    return JSON.stringify(awarded) === JSON.stringify(expected) ? true : undefined;
  }, 'every earned achievement is awarded').catch(() => {
    const missing = expected.filter((award) => !awarded.includes(award));
    const added = awarded.filter((award) => !expected.includes(award));
    assert.deepEqual({ missing, added }, { missing: [], added: [] });
  });
}

/** Waits until exactly the awards are stored that an independent count finds in the world, and no more follow. */
export async function untilAwardsMatchWorld(
  service: Pick<TestService, 'database' | 'work'>,
  simulator: Simulator,
  file: FileText,
): Promise<void> {
  const earned = earnedIn(simulator.world, awardingRepository(simulator), file);
  await untilAwarded(service, simulator, earned);
  await untilIdle(service);
  assert.deepEqual(await findAwards(service, simulator), earned);
}
