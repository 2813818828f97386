import { AppError } from '../../model/errors.ts';
import { unlessDenied } from '../interface/denied.ts';
import type { Call, GitRemote, KnownRepository } from '../interface/provider.ts';
import type { RestClient } from '../rest/client.ts';
import { credentialNamesOf, gitAuthorization } from '../rest/views.ts';
import { VersionPayload } from './payloads.ts';
import { readUnchanged } from './repositories.ts';

/** The time for which the result of a check is used whether the instance responds without a token. */
const openForMs = 3_600_000;

/**
 * Returns a function that finds the address and the authorization for git. An instance that requires sign-in needs a
 * token even for public repositories.
 */
export function createGitRemote(client: RestClient, url: string) {
  let known: { isOpen: boolean; until: Date } | undefined;
  const isOpen = async (call: Call): Promise<boolean> => {
    const now = client.now();
    if (known === undefined || known.until <= now) {
      known = { isOpen: await respondsWithoutToken(client, call), until: new Date(now.getTime() + openForMs) };
    }
    return known.isOpen;
  };
  return async (repository: KnownRepository, signal: AbortSignal): Promise<GitRemote> => {
    const call: Call = { urgency: 'background', signal, cost: { requests: 0, points: 0 } };
    const [first = null] = credentialNamesOf(client);
    const needsToken = repository.credentialName === null && first !== null && !(await isOpen(call));
    // A token could also show a repository that is not public any more, so that this is checked first.
    if (needsToken && (await readUnchanged(client, repository, call)) === null) {
      throw new AppError('not_found', 'The repository is not public any more.');
    }
    return {
      url: `${url}/${encodeURIComponent(repository.owner)}/${encodeURIComponent(repository.name)}.git`,
      authorization: gitAuthorization(client, needsToken ? first : repository.credentialName),
    };
  };
}

async function respondsWithoutToken(client: RestClient, call: Call): Promise<boolean> {
  const request = client.get('/version', VersionPayload, call, { isAnonymous: true });
  return (await request.catch(unlessDenied('denied'))) !== 'denied';
}
