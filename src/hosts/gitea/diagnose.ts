import { Type } from 'typebox';
import type { Diagnosis, MissingPermission } from '../interface/diagnosis.ts';
import type { Call } from '../interface/provider.ts';
import type { RestClient } from '../rest/client.ts';
import { diagnoseTokens, type Examined, isResponse, tryWith } from '../rest/diagnose.ts';
import { VersionPayload } from './payloads.ts';

const HolderPayload = Type.Object({ login: Type.String() });
const FoundPayload = Type.Object({ data: Type.Array(Type.Unknown()) });
const AnyPayload = Type.Unknown();

/**
 * Reports on tokens. No response of Gitea states the scopes of a token, so that this requests one address that needs
 * each scope. A token that lacks the scope is refused there as at all other addresses that need it (go-gitea/gitea,
 * routers/api/v1/api.go, tokenRequiresScopes).
 */
export function diagnose(client: RestClient, signal: AbortSignal): Promise<Diagnosis> {
  return diagnoseTokens(client, signal, (call, isAnonymous) => examine(client, call, isAnonymous));
}

async function examine(client: RestClient, call: Call, isAnonymous: boolean): Promise<Examined> {
  const startedAt = client.now();
  const version = await client.get('/version', VersionPayload, call);
  const known = { version: version?.data.version ?? null, latencyMs: client.now().getTime() - startedAt.getTime() };
  if (isAnonymous) return { ...known, sees: 'public' };
  const holder = await tryWith(client.get('/user', HolderPayload, call));
  // Only private repositories are requested, so that the response shows whether there are any.
  const foundRepositories = await tryWith(
    client.get('/repos/search?private=true&is_private=true&limit=1', FoundPayload, call),
  );
  const issues = await tryWith(client.get('/repos/issues/search?created=true&limit=1', AnyPayload, call));
  const organizations = await tryWith(client.get('/user/orgs?limit=1', AnyPayload, call));
  const missing = [
    ...lacks(holder, 'read:user', 'accounts'),
    ...lacks(foundRepositories, 'read:repository', 'repositories and commits'),
    ...lacks(issues, 'read:issue', 'issues, pull requests and comments'),
    // The address of organizations requires `read:user` too, whose lack must not be reported as this one.
    ...(holder === 'lacks_scope' ? [] : lacks(organizations, 'read:organization', 'organizations')),
  ];
  return {
    ...known,
    holder: isResponse(holder) ? (holder?.data.login ?? null) : null,
    sees:
      !isResponse(foundRepositories) || foundRepositories === null
        ? 'unknown'
        : foundRepositories.data.data.length > 0
          ? 'private'
          : 'public',
    missing,
  };
}

function lacks(response: unknown, name: string, neededFor: string): MissingPermission[] {
  return response === 'lacks_scope' ? [{ name, neededFor, isRequired: true }] : [];
}
