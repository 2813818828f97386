import type { Push } from '../../world/events.ts';
import type { Commit, Person, Repository } from '../../world/model.ts';
import { time } from '../graphql/field-request.ts';
import type { ResponseContext } from '../rest/accounts.ts';
import { listAddresses } from '../rest/addresses.ts';

/** GitHub lists at most this number of commits. */
const maxCommits = 2048;
const noCommit = '0'.repeat(40);

export function pushed(context: ResponseContext, repository: Repository, push: Push, pusher: string): object {
  const { before, after, forced, commits } = push;
  const { page } = listAddresses(context, repository);
  const head = repository.commits.findLast(({ oid }) => oid === after);
  return {
    ref: `refs/heads/${repository.defaultBranch}`,
    before: before ?? noCommit,
    after: after ?? noCommit,
    created: before === null,
    deleted: after === null,
    forced,
    base_ref: null,
    compare: `${page}/compare/${before ?? noCommit}...${after ?? noCommit}`,
    commits: commits.slice(0, maxCommits).map((entry) => commit(context, repository, entry)),
    head_commit: head === undefined ? null : commit(context, repository, head),
    pusher: { name: pusher, email: `${pusher}@users.noreply.github.com` },
  };
}

function commit(context: ResponseContext, repository: Repository, source: Commit): object {
  const person = ({ name, email }: Person, at: Date): object => {
    const login = context.world.accountByEmail(email)?.login;
    return { name, email, date: time(at), ...(login !== undefined && { username: login }) };
  };
  return {
    id: source.oid,
    tree_id: source.tree.oid,
    distinct: true,
    message: source.message,
    timestamp: time(source.committedAt),
    url: `${listAddresses(context, repository).page}/commit/${source.oid}`,
    author: person(source.author, source.authoredAt),
    committer: person(source.committer, source.committedAt),
    added: source.paths?.added ?? [],
    removed: source.paths?.removed ?? [],
    modified: source.paths?.modified ?? [],
  };
}
