import type { Account, Membership } from '../../world/model.ts';
import type { Viewer, World } from '../../world/world.ts';
import { time } from '../graphql/field-request.ts';

/** Accounts as the REST interface shows them. */

export interface ResponseContext {
  world: World;
  viewer: Viewer;
  /** The address of pages and of git. */
  origin: string;
  apiUrl: string;
}

/** The account that stands for deleted accounts: https://github.com/ghost. */
export const ghost = { id: 10_137, login: 'ghost', restLogin: null, nodeId: 'MDQ6VXNlcjEwMTM3', type: 'User' } as const;

export function simpleAccount(
  { apiUrl, origin }: ResponseContext,
  account: Pick<Account, 'id' | 'nodeId' | 'login' | 'restLogin' | 'type'>,
): object {
  const login = account.restLogin ?? account.login;
  const url = `${apiUrl}/users/${encodeURIComponent(login)}`;
  const page =
    account.type === 'Bot' ? `apps/${account.login.replace('[bot]', '')}` : encodeURIComponent(account.login);
  return {
    login,
    id: account.id,
    node_id: account.nodeId,
    avatar_url: `${origin}/avatars/u/${account.id}?v=4`,
    gravatar_id: '',
    url,
    html_url: `${origin}/${page}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: account.type,
    site_admin: false,
    user_view_type: 'public',
  };
}

export function fullAccount(context: ResponseContext, account: Account): object {
  const owned = context.world.owned(account).filter(({ visibility }) => visibility === 'public');
  return {
    ...simpleAccount(context, account),
    name: account.name,
    company: null,
    blog: account.websiteUrl ?? '',
    location: null,
    email: null,
    hireable: null,
    bio: account.bio,
    twitter_username: account.twitter,
    public_repos: owned.length,
    public_gists: 0,
    followers: account.followers,
    following: account.following,
    created_at: time(account.createdAt),
    updated_at: time(account.updatedAt),
  };
}

export function organization(context: ResponseContext, account: Account): object {
  const { login, name, websiteUrl, followers, following, createdAt, updatedAt } = account;
  return {
    ...simpleOrganization(context, account),
    ...(name !== null && { name }),
    ...(websiteUrl !== null && { blog: websiteUrl }),
    html_url: `${context.origin}/${login}`,
    has_organization_projects: true,
    has_repository_projects: true,
    public_repos: context.world.owned(account).filter(({ visibility }) => visibility === 'public').length,
    public_gists: 0,
    followers,
    following,
    type: 'Organization',
    created_at: time(createdAt),
    updated_at: time(updatedAt),
    archived_at: null,
  };
}

/** Returns an organization as it is embedded in other objects. */
export function simpleOrganization({ apiUrl, origin }: ResponseContext, { login, id, nodeId, bio }: Account): object {
  const url = `${apiUrl}/orgs/${login}`;
  return {
    login,
    id,
    node_id: nodeId,
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url: `${origin}/avatars/u/${id}?v=4`,
    description: bio,
  };
}

export function membership(
  context: ResponseContext,
  { role, state }: Membership,
  organizationAccount: Account,
  user: Account,
): object {
  const url = `${context.apiUrl}/orgs/${organizationAccount.login}`;
  return {
    url: `${url}/memberships/${user.login}`,
    state,
    role,
    organization_url: url,
    organization: simpleOrganization(context, organizationAccount),
    user: simpleAccount(context, user),
  };
}
