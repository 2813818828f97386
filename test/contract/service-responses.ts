import { listContributors, toCounters } from '../../simulators/world/expected-totals.ts';
import type { World } from '../../simulators/world/world.ts';
import type { TestService } from '../e2e/service.ts';
import { until } from '../time.ts';

/** Compares the responses of a service with a simulated world. */

/** Returns contributors of a response, reduced to the fields that the world knows. */
export function toContributors(data: readonly Record<string, unknown>[]): object[] {
  return data.map(({ name, contributions }) => ({ login: name, contributions }));
}

/** Waits until counters and contributors of an account are those of the world. */
export async function untilCounted(
  { world, service }: { world: World; service: TestService },
  account: { name: string; path: string },
  condition: string,
): Promise<void> {
  const { name, path } = account;
  await until(async () => {
    const { body } = await service.getComplete(`${path}/contributors?limit=100`);
    const { body: numbers } = await service.getComplete(`${path}/contributions`);
    const isTrue =
      JSON.stringify(toContributors(body.data)) === JSON.stringify(listContributors(world, name)) &&
      JSON.stringify(numbers.data[0]?.['contributions']) === JSON.stringify(toCounters(world, name));
    return isTrue ? true : undefined;
  }, condition);
}

/** Returns the contributions of an account. */
export async function countersIn(service: TestService, path: string): Promise<unknown> {
  const { body } = await service.get(`${path}/contributions`);
  return body.data[0]?.['contributions'];
}

/** Returns the names of the achievements of an account. */
export async function findAchievements(service: TestService, path: string): Promise<string[]> {
  const { body } = await service.get(`${path}/achievements?limit=100`);
  return body.data.map(({ name }) => String(name)).toSorted();
}

/** Counts the stored contributions of a visible repository by kind. */
export async function countStoredByKind(
  { database }: TestService,
  { id }: { id: number },
): Promise<Record<string, number>> {
  const { rows } = await database.pool.query<{ kind: string; count: number }>(
    `select kind, count(*)::integer as count from (select * from contributions offset 0) c join repositories r on r.id = c.repository_id
     where r.external_id = $1 and r.deleted_at is null group by kind`,
    [String(id)],
  );
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
}

/**
 * The number of contributions by kind in the public repository of the small world, at a host that does not list stars.
 */
export const expectedByKind = {
  issue: 5,
  pull_request: 5,
  review: 3,
  review_comment: 1,
  issue_comment: 2,
  pull_request_comment: 1,
};
