import { namedAccounts } from '../world/cast.ts';
import type { Viewer, World } from '../world/world.ts';

/** A token that the simulator accepts. */
export interface SimulatedToken {
  name: string;
  secret: string;
  login: string;
  /** The scopes of a classic token; responses to fine-grained tokens show none. */
  scopes: string[] | undefined;
  seesPrivate: boolean;
  /** Fine-grained tokens list stargazers only if they may write contents. */
  writesContents: boolean;
}

const described = [
  { name: 'user', login: namedAccounts.user, scopes: ['repo', 'read:org'] },
  { name: 'private_owner', login: namedAccounts.private_owner, scopes: undefined },
  { name: 'private_owner_writing', login: namedAccounts.private_owner, scopes: undefined },
  { name: 'organization_admin', login: namedAccounts.organization_admin, scopes: ['repo', 'read:org'] },
  { name: 'organization_admin_narrow', login: namedAccounts.organization_admin, scopes: ['public_repo'] },
  { name: 'organization_member', login: namedAccounts.organization_member, scopes: ['repo', 'read:org'] },
  { name: 'organization_pending', login: 'penny-pending', scopes: ['repo', 'read:org'] },
  { name: 'outsider', login: namedAccounts.outsider, scopes: ['repo'] },
  { name: 'public_only', login: namedAccounts.user, scopes: ['public_repo'] },
  { name: 'second_public_only', login: namedAccounts.outsider, scopes: [] },
  { name: 'profile_reader', login: namedAccounts.user, scopes: ['read:user'] },
] as const;

/** The names of the tokens. */
export type TokenName = (typeof described)[number]['name'];

export const simulatedTokens: readonly SimulatedToken[] = described.map(({ name, login, scopes }) => ({
  name,
  login,
  secret: `${scopes === undefined ? 'github_pat' : 'ghp'}_simulated_${name}_0123456789`,
  scopes: scopes === undefined ? undefined : [...scopes],
  seesPrivate: scopes === undefined || scopes.some((scope) => scope === 'repo'),
  writesContents: name === 'private_owner_writing' || (scopes?.some((scope) => scope.endsWith('repo')) ?? false),
}));

const holders = new WeakMap<World, Map<string, number | null>>();

/**
 * Returns the holder of a token: the account that had the login at the token's first use, even if it was renamed since.
 */
function findHolder(world: World, { name, login }: SimulatedToken): number | null {
  const holdersByName = holders.get(world) ?? new Map<string, number | null>();
  holders.set(world, holdersByName);
  const holder = holdersByName.get(name) ?? world.accountByLogin(login)?.id ?? null;
  holdersByName.set(name, holder);
  return holder;
}

/** Returns the caller by the Authorization header, undefined for unknown credentials. */
export function authenticate(
  world: World,
  authorization: string | undefined,
): { name: string; viewer: Viewer; scopes: string[] | undefined } | undefined {
  if (authorization === undefined) {
    return { name: 'anonymous', viewer: { accountId: null, seesPrivate: false }, scopes: undefined };
  }
  const token = simulatedTokens.find(({ secret }) => secret === tokenIn(authorization));
  if (token === undefined) return undefined;
  const viewer: Viewer = {
    accountId: findHolder(world, token),
    seesPrivate: token.seesPrivate,
    ...(token.scopes?.includes('read:org') === false && { lacksMembers: true }),
    ...(!token.writesContents && { lacksStargazers: token.scopes === undefined ? 'personal access token' : 'scope' }),
  };
  return { name: token.name, viewer, scopes: token.scopes };
}

/** Returns the token in an Authorization header: programs send `Bearer` or `token`, git sends a password. */
export function tokenIn(authorization: string): string {
  const [scheme = '', value = ''] = authorization.split(' ');
  if (scheme.toLowerCase() !== 'basic') return value;
  return Buffer.from(value, 'base64').toString('utf8').split(':').slice(1).join(':');
}
