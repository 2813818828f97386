import type { Repository } from '../../world/model.ts';
import type { Place } from './accounts.ts';

/** Returns the addresses of a repository: `url` for programs, `page` for people. */
export function addressesOf({ world, apiUrl, origin }: Place, shown: Repository): { url: string; page: string } {
  const owner = world.accountById(shown.ownerId)?.login ?? 'ghost';
  return { url: `${apiUrl}/repos/${owner}/${shown.name}`, page: `${origin}/${owner}/${shown.name}` };
}
