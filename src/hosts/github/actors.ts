import type { AccountFacts, Actor } from '../../model/account.ts';
import type { ActorPayload, OrganizationPayload, RestAccountPayload, UserPayload } from './payloads.ts';

const botSuffix = '[bot]';

/** Returns the account of a payload; null for deleted accounts and for mannequins, placeholders for imported people. */
export function toActor(payload: ActorPayload | null): Actor | null {
  if (payload === null || !('databaseId' in payload)) return null;
  const type = toType(payload.kind);
  if (type === undefined || isGhostName(payload.login)) return null;
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

/**
 * Returns the facts about an organization.
 * @param rest its REST data, because GraphQL does not have its followers; null: it could not be fetched.
 */
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

/**
 * Returns the facts about an account that was fetched by REST, as bots are, and all accounts without a token; null for
 * mannequins and deleted accounts.
 */
export function restFacts(payload: RestAccountPayload): AccountFacts | null {
  const actor = restActor(payload);
  return (
    actor && {
      ...actor,
      website: payload.blog ?? '',
      description: payload.bio ?? '',
      socials: null,
      followers: payload.followers ?? null,
      following: payload.following ?? null,
    }
  );
}

/**
 * Returns an account that REST or a delivery names; null for mannequins and for deleted accounts, which REST calls
 * `ghost`.
 */
export function restActor(payload: RestAccountPayload): Actor | null {
  const type = toType(payload.type);
  if (type === undefined || isGhostName(payload.login) || isPageOfGhost(payload.html_url)) return null;
  return {
    externalId: String(payload.id),
    handle: payload.node_id,
    type,
    name: type === 'bot' ? botName(loginOfBot(payload)) : payload.login,
    displayName: payload.name ?? '',
    avatarUrl: payload.avatar_url,
    ...(payload.name === undefined && { isBrief: true }),
  };
}

/**
 * Returns whether a name is that of https://github.com/ghost, to which GitHub attributes the items of deleted accounts.
 */
export function isGhostName(name: string): boolean {
  return name.toLowerCase() === 'ghost';
}

/** Returns whether a page is that of the ghost, whose login may be unreadable. */
function isPageOfGhost(page = ''): boolean {
  return isGhostName(page.split('/').at(-1) ?? '');
}

/** The names of Copilot's two bots by id. Commit addresses name both `Copilot`, without the suffix of bots. */
const copilots: ReadonlyMap<string, string> = new Map([
  ['198982749', 'copilot-swe-agent'],
  ['175728472', 'copilot-pull-request-reviewer'],
]);

/** Returns the type and the name of the account in a no-reply address of GitHub. */
export function actorInAddress(externalId: string, login: string): Pick<Actor, 'type' | 'name'> {
  const copilot = login.toLowerCase() === 'copilot' ? copilots.get(externalId) : undefined;
  if (copilot !== undefined) return { type: 'bot', name: botName(copilot) };
  return { type: isBotName(login) ? 'bot' : 'user', name: login };
}

/**
 * Returns the login of a bot. REST names both of Copilot's bots `Copilot`, without the suffix of bots; their own names
 * are in the URLs of their Apps (`https://github.com/apps/copilot-swe-agent`, on servers `/github-apps/...`;
 * posit-dev/ark#1001).
 */
function loginOfBot({ login, html_url: page = '' }: RestAccountPayload): string {
  if (isBotName(login)) return login;
  return /\/(?:github-)?apps\/([\w-]+)\/?$/.exec(page)?.[1] ?? login;
}

export function isBotName(name: string): boolean {
  return name.toLowerCase().endsWith(botSuffix);
}

/** Adds the suffix `[bot]`, which logins in REST have, but not in GraphQL. */
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

function toType(kind: string): Actor['type'] | undefined {
  const types: Record<string, Actor['type']> = { User: 'user', Organization: 'organization', Bot: 'bot' };
  return types[kind];
}
