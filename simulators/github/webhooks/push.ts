import type { Push } from '../../world/events.ts';
import type { Commit, Person, Repository } from '../../world/model.ts';
import { time } from '../graphql/field-request.ts';
import type { Place } from '../rest/accounts.ts';
import { addressesOf } from '../rest/addresses.ts';

/** GitHub lists at most this number of commits. */
const maxCommits = 2048;
const nothing = '0'.repeat(40);

export function pushed(place: Place, shown: Repository, push: Push, pusher: string): object {
  const { before, after, forced, commits } = push;
  const { page } = addressesOf(place, shown);
  const head = shown.commits.findLast(({ oid }) => oid === after);
  return {
    ref: `refs/heads/${shown.defaultBranch}`,
    before: before ?? nothing,
    after: after ?? nothing,
    created: before === null,
    deleted: after === null,
    forced,
    base_ref: null,
    compare: `${page}/compare/${before ?? nothing}...${after ?? nothing}`,
    commits: commits.slice(0, maxCommits).map((one) => commit(place, shown, one)),
    head_commit: head === undefined ? null : commit(place, shown, head),
    pusher: { name: pusher, email: `${pusher}@users.noreply.github.com` },
  };
}

function commit(place: Place, shown: Repository, one: Commit): object {
  const person = ({ name, email }: Person, at: Date): object => {
    const login = place.world.accountByEmail(email)?.login;
    return { name, email, date: time(at), ...(login !== undefined && { username: login }) };
  };
  return {
    id: one.oid,
    tree_id: one.tree.oid,
    distinct: true,
    message: one.message,
    timestamp: time(one.committedAt),
    url: `${addressesOf(place, shown).page}/commit/${one.oid}`,
    author: person(one.author, one.authoredAt),
    committer: person(one.committer, one.committedAt),
    added: one.paths?.added ?? [],
    removed: one.paths?.removed ?? [],
    modified: one.paths?.modified ?? [],
  };
}
