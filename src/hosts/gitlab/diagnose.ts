import { Type } from 'typebox';
import type { Diagnosis, MissingPermission, Quota } from '../interface/diagnosis.ts';
import type { Call } from '../interface/provider.ts';
import type { RestClient } from '../rest/client.ts';
import { diagnoseTokens, type Examined, ifScopeAllows, isResponse, tryWith } from '../rest/diagnose.ts';
import type { Headers } from '../transport/http-transport.ts';
import { TokenPayload, VersionPayload } from './payloads.ts';

const HolderPayload = Type.Object({ username: Type.String() });
const UsersPayload = Type.Array(Type.Unknown());

/** Reports on personal access tokens and on those of groups and projects, which are personal access tokens of bots. */
export function diagnose(client: RestClient, signal: AbortSignal): Promise<Diagnosis> {
  return diagnoseTokens(client, signal, (call, isAnonymous) =>
    isAnonymous ? examineWithout(client, call) : examine(client, call),
  );
}

/**
 * Looks up an account, as the service does for its clients: without a token GitLab shows no facts about the instance.
 */
async function examineWithout(client: RestClient, call: Call): Promise<Examined> {
  const begun = client.now();
  const users = await client.get('/users?username=root', UsersPayload, call);
  const latencyMs = client.now().getTime() - begun.getTime();
  const neededFor = 'reviews, comments, stars and followers';
  const missing = [{ name: 'a token', neededFor, isRequired: false }];
  return { latencyMs, sees: 'public', missing, quotas: quotasIn(client, users?.headers) };
}

async function examine(client: RestClient, call: Call): Promise<Examined> {
  const begun = client.now();
  // Tokens of any scope may read themselves, except those of OAuth
  // (gitlab-org/gitlab, lib/api/personal_access_tokens/self_information.rb).
  const self = await tryWith(client.get('/personal_access_tokens/self', TokenPayload, call));
  const latencyMs = client.now().getTime() - begun.getTime();
  const holder = await ifScopeAllows(client.get('/user', HolderPayload, call));
  const version = await tryWith(client.get('/metadata', VersionPayload, call));
  const token = isResponse(self) ? self?.data : undefined;
  const { scopes = [], expires_at: lastDay } = token ?? {};
  const isRefused = [holder, version].includes('lacks_scope');
  return {
    version: isResponse(version) ? (version?.data.version ?? null) : null,
    latencyMs,
    holder: isResponse(holder) ? (holder?.data.username ?? null) : null,
    sees: 'private',
    missing: findMissing(scopes, isRefused),
    // The token expires at the beginning of that day (UTC):
    // https://docs.gitlab.com/user/profile/personal_access_tokens/
    expiresAt: lastDay ? new Date(`${lastDay}T00:00:00Z`) : null,
    quotas: quotasIn(client, isResponse(holder) ? holder?.headers : undefined),
  };
}

/** @param scopes empty when they are unknown. */
function findMissing(scopes: readonly string[], isRefused: boolean): MissingPermission[] {
  const has = (...wanted: string[]): boolean => wanted.some((scope) => scopes.includes(scope));
  const isKnown = scopes.length > 0;
  const cannotRead = isKnown ? !has('api', 'read_api') : isRefused;
  const cannotClone = isKnown && !has('api', 'read_repository', 'write_repository');
  return [
    ...(cannotRead ? [{ name: 'read_api', neededFor: 'everything but names', isRequired: true }] : []),
    ...(cannotClone ? [{ name: 'read_repository', neededFor: 'commits of private projects', isRequired: false }] : []),
  ];
}

/**
 * Reads the rate limit, which GitLab sends only where limits are switched on:
 * https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/#response-headers
 */
function quotasIn({ dialect }: RestClient, headers: Headers | undefined): Quota[] {
  const report = headers && dialect.limitReport(headers);
  return report === undefined ? [] : [{ resource: 'api', unit: 'requests', ...report }];
}
