import type { Repository } from '../../world/model.ts';
import type { ResponseContext } from './accounts.ts';

/** Returns the addresses of a repository: `url` for programs, `page` for people. */
export function listAddresses(
  { world, apiUrl, origin }: ResponseContext,
  repository: Repository,
): { url: string; page: string } {
  const owner = world.accountById(repository.ownerId)?.login ?? 'ghost';
  return { url: `${apiUrl}/repos/${owner}/${repository.name}`, page: `${origin}/${owner}/${repository.name}` };
}
