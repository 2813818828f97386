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
import { ghost, type ResponseContext, simpleAccount } from './accounts.ts';
import { listAddresses } from './addresses.ts';
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

export function describeRepository(context: ResponseContext, repository: Repository): object {
  const owner = context.world.accountById(repository.ownerId);
  if (owner === undefined) throw new Error(`no account owns ${repository.name}`);
  const { url, page } = listAddresses(context, repository);
  const stars = context.world.starsOf(repository).length;
  const open = [...repository.issues, ...repository.pullRequests].filter(({ closedAt }) => closedAt === null).length;
  return {
    id: repository.id,
    node_id: repository.nodeId,
    name: repository.name,
    full_name: `${owner.login}/${repository.name}`,
    owner: simpleAccount(context, owner),
    private: repository.visibility !== 'public',
    visibility: repository.visibility,
    html_url: page,
    description: repository.description,
    fork: repository.isFork,
    url,
    ...Object.fromEntries(repositoryLinks.map(([name, rest]) => [`${name}_url`, `${url}/${name}${rest}`])),
    clone_url: `${page}.git`,
    git_url: `${page}.git`,
    ssh_url: `ssh://git@simulator/${owner.login}/${repository.name}.git`,
    svn_url: page,
    mirror_url: null,
    homepage: null,
    language: repository.language,
    forks: repository.forkCount,
    forks_count: repository.forkCount,
    stargazers_count: stars,
    watchers: stars,
    watchers_count: stars,
    subscribers_count: 0,
    network_count: repository.forkCount,
    size: repository.sizeKib,
    default_branch: repository.defaultBranch,
    open_issues: open,
    open_issues_count: open,
    has_issues: true,
    has_projects: false,
    has_wiki: false,
    has_pages: false,
    has_downloads: true,
    has_discussions: repository.hasDiscussions,
    archived: repository.isArchived,
    disabled: false,
    is_template: false,
    allow_forking: true,
    web_commit_signoff_required: false,
    topics: [],
    custom_properties: {},
    license:
      repository.license === null
        ? null
        : {
            key: repository.license.spdxId.toLowerCase(),
            name: repository.license.name,
            spdx_id: repository.license.spdxId,
            url: `${context.apiUrl}/licenses/${repository.license.spdxId.toLowerCase()}`,
            node_id: 'L_1',
          },
    pushed_at: time(repository.pushedAt ?? repository.createdAt),
    created_at: time(repository.createdAt),
    updated_at: time(repository.updatedAt),
  };
}

export function issue(context: ResponseContext, repository: Repository, item: Issue | PullRequest): object {
  const { url: repositoryUrl, page } = listAddresses(context, repository);
  const url = `${repositoryUrl}/issues/${item.number}`;
  const isPull = isPullRequest(item);
  const path = isPull ? 'pull' : 'issues';
  const author = context.world.accountById(item.authorId);
  const assignees = simpleAccounts(context, item.assigneeIds);
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
    user: simpleAccount(context, author ?? ghost),
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
    author_association: authorAssociation(context.world, repository, item.authorId),
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
export function stargazer(context: ResponseContext, { accountId, starredAt }: Star): object {
  const account = context.world.accountById(accountId);
  return { starred_at: time(starredAt), user: account === undefined ? null : simpleAccount(context, account) };
}

/** Lists the accounts that still exist. */
export function simpleAccounts(context: ResponseContext, ids: readonly number[]): object[] {
  return ids.flatMap((id) => {
    const account = context.world.accountById(id);
    return account === undefined ? [] : [simpleAccount(context, account)];
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

export function commit(context: ResponseContext, repository: Repository, source: Commit): object {
  const { url, page: repositoryPage } = listAddresses(context, repository);
  const page = `${repositoryPage}/commit`;
  const account = (email: string): object | null => {
    const found = context.world.accountByEmail(email);
    return found === undefined ? null : simpleAccount(context, found);
  };
  return {
    sha: source.oid,
    node_id: `C_${source.oid}`,
    url: `${url}/commits/${source.oid}`,
    html_url: `${page}/${source.oid}`,
    comments_url: `${url}/commits/${source.oid}/comments`,
    commit: {
      url: `${url}/git/commits/${source.oid}`,
      author: { ...source.author, date: time(source.authoredAt) },
      committer: { ...source.committer, date: time(source.committedAt) },
      message: source.message,
      comment_count: 0,
      tree: { sha: source.tree.oid, url: `${url}/git/trees/${source.tree.oid}` },
    },
    author: account(source.author.email),
    committer: account(source.committer.email),
    parents: source.parents.map((sha) => ({ sha, url: `${url}/commits/${sha}`, html_url: `${page}/${sha}` })),
  };
}
