import type { AccountFacts, Actor } from '../../accounts/account.ts';
import type { OrganizationPayload, UserPayload } from './account-payloads.ts';
import type { ActorPayload, RestAccountPayload } from './payloads.ts';

const botSuffix = '[bot]';

/** Null for those who are no accounts: deleted ones, and stand-ins for people of other hosts. */
export function toActor(payload: ActorPayload | null): Actor | null {
  if (payload === null || !('databaseId' in payload)) return null;
  const type = typeOf(payload.kind);
  if (type === undefined) return null;
  return {
    externalId: String(payload.databaseId),
    handle: payload.id ?? '',
    type,
    name: type === 'bot' ? botName(payload.login) : payload.login,
    displayName: payload.name ?? '',
    avatarUrl: payload.avatarUrl,
  };
}

export function userFacts(payload: UserPayload): AccountFacts {
  return {
    ...profile(payload),
    type: 'user',
    description: payload.bio ?? '',
    socials:
      payload.socialAccounts?.nodes.map(({ provider, displayName, url }) => ({
        provider: provider.toLowerCase(),
        name: displayName,
        url,
      })) ?? null,
    followers: payload.followers?.totalCount ?? null,
    following: payload.following?.totalCount ?? null,
  };
}

/** @param rest what only the REST interface tells of an organization, if it could be asked. */
export function organizationFacts(payload: OrganizationPayload, rest: RestAccountPayload | null): AccountFacts {
  return {
    ...profile(payload),
    type: 'organization',
    description: payload.description ?? '',
    socials: null,
    followers: rest?.followers ?? null,
    following: rest?.following ?? null,
  };
}

/** An account as the REST interface tells it: bots, and everybody when there is no token. */
export function restFacts(payload: RestAccountPayload): AccountFacts {
  return {
    ...restActor(payload),
    website: payload.blog ?? '',
    description: payload.bio ?? '',
    socials: null,
    followers: payload.followers ?? null,
    following: payload.following ?? null,
  };
}

export function restActor(payload: RestAccountPayload): Actor {
  return {
    externalId: String(payload.id),
    handle: payload.node_id,
    type: typeOf(payload.type) ?? 'user',
    name: payload.login,
    displayName: payload.name ?? '',
    avatarUrl: payload.avatar_url,
  };
}

export function isBotName(name: string): boolean {
  return name.toLowerCase().endsWith(botSuffix);
}

/** GraphQL leaves out of a bot's login what REST and everybody else writes. */
function botName(login: string): string {
  return isBotName(login) ? login : `${login}${botSuffix}`;
}

function profile(payload: UserPayload | OrganizationPayload) {
  return {
    externalId: String(payload.databaseId),
    handle: payload.id,
    name: payload.login,
    displayName: payload.name ?? '',
    avatarUrl: payload.avatarUrl,
    website: payload.websiteUrl ?? '',
  };
}

function typeOf(kind: string): Actor['type'] | undefined {
  const types: Record<string, Actor['type']> = { User: 'user', Organization: 'organization', Bot: 'bot' };
  return types[kind];
}
