import { crc32 } from 'node:zlib';
import { authorAssociation } from '../../world/association.ts';
import {
  type Commit,
  type Issue,
  isPullRequest,
  type PullRequest,
  type Repository,
  type Star,
} from '../../world/model.ts';
import { time } from '../graphql/field-request.ts';
import { ghost, type Place, simpleAccount } from './accounts.ts';
import { addressesOf } from './addresses.ts';
import { reactionSummary } from './comments.ts';

const repositoryLinks = [
  ['archive', '/{archive_format}{/ref}'],
  ['assignees', '{/user}'],
  ['blobs', '{/sha}'],
  ['branches', '{/branch}'],
  ['collaborators', '{/collaborator}'],
  ['comments', '{/number}'],
  ['commits', '{/sha}'],
  ['compare', '/{base}...{head}'],
  ['contents', '/{+path}'],
  ['contributors', ''],
  ['deployments', ''],
  ['downloads', ''],
  ['events', ''],
  ['forks', ''],
  ['git_commits', '{/sha}'],
  ['git_refs', '{/sha}'],
  ['git_tags', '{/sha}'],
  ['hooks', ''],
  ['issue_comment', '{/number}'],
  ['issue_events', '{/number}'],
  ['issues', '{/number}'],
  ['keys', '{/key_id}'],
  ['labels', '{/name}'],
  ['languages', ''],
  ['merges', ''],
  ['milestones', '{/number}'],
  ['notifications', '{?since,all,participating}'],
  ['pulls', '{/number}'],
  ['releases', '{/id}'],
  ['stargazers', ''],
  ['statuses', '{/sha}'],
  ['subscribers', ''],
  ['subscription', ''],
  ['tags', ''],
  ['teams', ''],
  ['trees', '{/sha}'],
] as const;

export function repository(place: Place, shown: Repository): object {
  const owner = place.world.accountById(shown.ownerId);
  if (owner === undefined) throw new Error(`nobody owns ${shown.name}`);
  const { url, page } = addressesOf(place, shown);
  const stars = place.world.starsOf(shown).length;
  const open = [...shown.issues, ...shown.pullRequests].filter(({ closedAt }) => closedAt === null).length;
  return {
    id: shown.id,
    node_id: shown.nodeId,
    name: shown.name,
    full_name: `${owner.login}/${shown.name}`,
    owner: simpleAccount(place, owner),
    private: shown.visibility !== 'public',
    visibility: shown.visibility,
    html_url: page,
    description: shown.description,
    fork: shown.isFork,
    url,
    ...Object.fromEntries(repositoryLinks.map(([name, rest]) => [`${name}_url`, `${url}/${name}${rest}`])),
    clone_url: `${page}.git`,
    git_url: `${page}.git`,
    ssh_url: `ssh://git@simulator/${owner.login}/${shown.name}.git`,
    svn_url: page,
    mirror_url: null,
    homepage: null,
    language: shown.language,
    forks: shown.forkCount,
    forks_count: shown.forkCount,
    stargazers_count: stars,
    watchers: stars,
    watchers_count: stars,
    subscribers_count: 0,
    network_count: shown.forkCount,
    size: shown.sizeKib,
    default_branch: shown.defaultBranch,
    open_issues: open,
    open_issues_count: open,
    has_issues: true,
    has_projects: false,
    has_wiki: false,
    has_pages: false,
    has_downloads: true,
    has_discussions: shown.hasDiscussions,
    archived: shown.isArchived,
    disabled: false,
    is_template: false,
    allow_forking: true,
    web_commit_signoff_required: false,
    topics: [],
    custom_properties: {},
    license:
      shown.license === null
        ? null
        : {
            key: shown.license.spdxId.toLowerCase(),
            name: shown.license.name,
            spdx_id: shown.license.spdxId,
            url: `${place.apiUrl}/licenses/${shown.license.spdxId.toLowerCase()}`,
            node_id: 'L_1',
          },
    pushed_at: time(shown.pushedAt ?? shown.createdAt),
    created_at: time(shown.createdAt),
    updated_at: time(shown.updatedAt),
  };
}

export function issue(place: Place, shown: Repository, item: Issue | PullRequest): object {
  const { url: repositoryUrl, page } = addressesOf(place, shown);
  const url = `${repositoryUrl}/issues/${item.number}`;
  const isPull = isPullRequest(item);
  const path = isPull ? 'pull' : 'issues';
  const author = place.world.accountById(item.authorId);
  const assignees = simpleAccounts(place, item.assigneeIds);
  return {
    id: item.id,
    node_id: item.nodeId,
    url,
    repository_url: repositoryUrl,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: `${page}/${path}/${item.number}`,
    number: item.number,
    state: item.closedAt === null ? 'open' : 'closed',
    state_reason: isPull ? null : (item.stateReason?.toLowerCase() ?? null),
    title: item.title,
    user: simpleAccount(place, author ?? ghost),
    labels: item.labels.map((name) => label(repositoryUrl, name)),
    assignee: assignees[0] ?? null,
    assignees,
    milestone: null,
    locked: false,
    active_lock_reason: null,
    body: '',
    performed_via_github_app: null,
    comments: item.comments.length,
    reactions: reactionSummary(item, url),
    author_association: authorAssociation(place.world, shown, item.authorId),
    closed_at: time(item.closedAt),
    created_at: time(item.createdAt),
    updated_at: time(item.updatedAt),
    ...(isPull && {
      draft: item.isDraft,
      pull_request: {
        url: `${repositoryUrl}/pulls/${item.number}`,
        html_url: `${page}/pull/${item.number}`,
        diff_url: `${page}/pull/${item.number}.diff`,
        patch_url: `${page}/pull/${item.number}.patch`,
        merged_at: time(item.mergedAt),
      },
    }),
  };
}

/** Returns a star with its date, as GitHub shows it for the media type `application/vnd.github.star+json`. */
export function stargazer(place: Place, { accountId, starredAt }: Star): object {
  const account = place.world.accountById(accountId);
  return { starred_at: time(starredAt), user: account === undefined ? null : simpleAccount(place, account) };
}

/** Lists the accounts that still exist. */
export function simpleAccounts(place: Place, ids: readonly number[]): object[] {
  return ids.flatMap((id) => {
    const account = place.world.accountById(id);
    return account === undefined ? [] : [simpleAccount(place, account)];
  });
}

export function label(repositoryUrl: string, name: string): object {
  return {
    id: crc32(name),
    node_id: `LA_${Buffer.from(name).toString('base64url')}`,
    url: `${repositoryUrl}/labels/${encodeURIComponent(name)}`,
    name,
    description: null,
    color: 'ededed',
    default: false,
  };
}

export function commit(place: Place, shown: Repository, one: Commit): object {
  const { url, page: repositoryPage } = addressesOf(place, shown);
  const page = `${repositoryPage}/commit`;
  const account = (email: string): object | null => {
    const found = place.world.accountByEmail(email);
    return found === undefined ? null : simpleAccount(place, found);
  };
  return {
    sha: one.oid,
    node_id: `C_${one.oid}`,
    url: `${url}/commits/${one.oid}`,
    html_url: `${page}/${one.oid}`,
    comments_url: `${url}/commits/${one.oid}/comments`,
    commit: {
      url: `${url}/git/commits/${one.oid}`,
      author: { ...one.author, date: time(one.authoredAt) },
      committer: { ...one.committer, date: time(one.committedAt) },
      message: one.message,
      comment_count: 0,
      tree: { sha: one.tree.oid, url: `${url}/git/trees/${one.tree.oid}` },
    },
    author: account(one.author.email),
    committer: account(one.committer.email),
    parents: one.parents.map((sha) => ({ sha, url: `${url}/commits/${sha}`, html_url: `${page}/${sha}` })),
  };
}
