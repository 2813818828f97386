import type { ContributionPage, ProviderWith } from '../../src/hosts/interface/provider.ts';
import { newCall } from './host.ts';
import { type ContractWorld, toHandbook } from './world.ts';

/** Reads a stream of the public repository to its end, and calls `meanwhile` between its pages. */
export async function readAll(
  fixture: ContractWorld & { provider: ProviderWith<'streams'> },
  stream: string,
  options: { since?: Date; meanwhile?: (page: ContributionPage) => void } = {},
): Promise<Set<string>> {
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    const position = { cursor, since: options.since ?? null, pageSize: null, isDeep: false };
    const page: ContributionPage = await fixture.provider.streams.read(
      stream,
      toHandbook(fixture),
      position,
      newCall(),
    );
    for (const { externalId } of page.contributions) seen.add(externalId);
    options.meanwhile?.(page);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return seen;
}

export const listIds = (items: readonly { id: number }[]): string[] => items.map(({ id }) => String(id));
