import { buildRepository, type CommitDescription, moveRef } from '../git/build-repository.ts';
import { type ResolvedRepository, smartHttp } from '../git/smart-http.ts';
import { makeTemporaryDirectory } from '../git/temporary-directory.ts';
import { type Commit, commitsOfFork, type DeliveredCommit, deliveredCommits, newestCommits } from './commits.ts';

/**
 * Serves the recorded commits by git. The contents of files were not recorded, so that git gives the commits other ids
 * than the recorded ones, and ids must be translated.
 */
export interface Histories extends AsyncDisposable {
  handle: ReturnType<typeof smartHttp>;
  /** Every requested repository, as `WHO PATH`. */
  requests: string[];
  /** Replaces the commit ids of git by the recorded ones. */
  toRecorded: (text: string) => string;
  /** Replaces the recorded commit ids by those of git. */
  toGit: (text: string) => string;
}

/** @param identify returns the identity that a credential belongs to. */
export async function buildHistories(
  moment: () => Date,
  identify: (authorization: string | undefined) => string,
): Promise<Histories> {
  const directories = await makeTemporaryDirectory();
  const repositories = [
    { path: '/acme/handbook.git', commits: toDescriptions(newestCommits()), members: null },
    { path: '/acme/secret-plans.git', commits: toLine(deliveredCommits('006-push')), members: ['alice', 'bob'] },
    { path: '/carol/handbook.git', commits: toDescriptions(commitsOfFork()), members: null },
    { path: '/alice/example.git', commits: toLine(deliveredCommits('060-push')), members: null },
  ];
  const ids = new Map<string, string>();
  for (const { path, commits } of repositories) {
    const built = await buildRepository(directories.pathOf(path), { branch: 'main', commits });
    for (const [index, { recordedId }] of commits.entries()) ids.set(recordedId, built[index] ?? '');
  }
  const recordedIds = new Map([...ids].map(([recordedId, id]) => [id, recordedId]));
  const requests: string[] = [];
  const tips = new Map<string, string | null>();
  const resolve = async (path: string, authorization: string | undefined): Promise<ResolvedRepository> => {
    const caller = identify(authorization);
    requests.push(`${caller} ${path}`);
    const repository = repositories.find((repository) => repository.path === path);
    if (repository === undefined) return 'not_found';
    const { commits, members } = repository;
    if (members?.includes(caller) === false) return 'unauthorized';
    const directory = directories.pathOf(path);
    const tip = commits.findLast(({ committedAt }) => committedAt <= moment());
    const oid = ids.get(tip?.recordedId ?? '') ?? null;
    if (tips.get(path) !== oid) await moveRef(directory, 'refs/heads/main', oid);
    tips.set(path, oid);
    return { directory };
  };
  return {
    handle: smartHttp(resolve),
    requests,
    toRecorded: (text) => translate(text, recordedIds),
    toGit: (text) => translate(text, ids),
    [Symbol.asyncDispose]: () => directories[Symbol.asyncDispose](),
  };
}

type Described = CommitDescription & { recordedId: string };

/** Returns commits, oldest first, without parents that were not recorded. */
function toDescriptions(newestFirst: readonly Commit[]): Described[] {
  const commits = newestFirst.toReversed();
  const places = new Map(commits.map(({ sha }, index) => [sha, index]));
  return commits.map(({ sha, parents, files, commit: { author, committer, message } }) => ({
    recordedId: sha,
    parents: parents.flatMap((parent) => places.get(parent.sha) ?? []),
    author,
    authoredAt: new Date(author.date),
    committer,
    committedAt: new Date(committer.date),
    message: message.trimEnd(),
    changes: new Map(files.map(({ filename, status }) => [filename, status === 'removed' ? null : `as of ${sha}\n`])),
  }));
}

/** Returns commits, oldest first. Pushes do not contain parents, so each commit gets the one before it. */
function toLine(newestFirst: readonly DeliveredCommit[]): Described[] {
  return newestFirst.toReversed().map(({ id, author, committer, message, timestamp }, index) => {
    const at = new Date(timestamp);
    const parents = index === 0 ? [] : [index - 1];
    return { recordedId: id, parents, author, authoredAt: at, committer, committedAt: at, message: message.trimEnd() };
  });
}

function translate(text: string, ids: ReadonlyMap<string, string>): string {
  return text.replaceAll(/[0-9a-f]{40}/g, (id) => ids.get(id) ?? id);
}
