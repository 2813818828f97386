import { contributorsOf, countersOf } from '../github/world/truth.ts';
import type { World } from '../github/world/world.ts';
import { type TestService, until } from '../service.ts';

/** What a service tells of a simulated world, compared with the world. */

/** Contributors as they are told, reduced to what the world knows. */
export function listed(data: readonly Record<string, unknown>[]): object[] {
  return data.map(({ name, contributions }) => ({ login: name, contributions }));
}

/** Waits until counters and contributors of an account are those of the world. */
export async function untilCounted(
  { world, service }: { world: World; service: TestService },
  account: { name: string; path: string },
  what: string,
): Promise<void> {
  const { name, path } = account;
  await until(async () => {
    const { body } = await service.getComplete(`${path}/contributors?limit=100`);
    const { body: numbers } = await service.getComplete(`${path}/contributions`);
    const isTrue =
      JSON.stringify(listed(body.data)) === JSON.stringify(contributorsOf(world, name)) &&
      JSON.stringify(numbers.data[0]?.['contributions']) === JSON.stringify(countersOf(world, name));
    return isTrue ? true : undefined;
  }, what);
}
