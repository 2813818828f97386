import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from './inputs.ts';
import { requireRun, run } from './run.ts';

const attempts = 4;
const identity = {
  GIT_AUTHOR_NAME: 'github-actions[bot]',
  GIT_COMMITTER_NAME: 'github-actions[bot]',
  GIT_AUTHOR_EMAIL: '41898282+github-actions[bot]@users.noreply.github.com',
  GIT_COMMITTER_EMAIL: '41898282+github-actions[bot]@users.noreply.github.com',
};

/** Files to commit: their paths in the repository, and the folder in which they were written. */
interface Written {
  folder: string;
  files: readonly string[];
  branch: string;
  message: string;
}

/** Finds the name of the branch that is checked out. */
export async function findBranch({ workspace }: Place): Promise<string> {
  const { status, output } = await run('git', ['symbolic-ref', '--short', 'HEAD'], { cwd: workspace });
  if (status === 0) return output.trim();
  throw new Error('no branch is checked out here: check one out before this step, or name one as ref');
}

/**
 * Commits files on top of a branch of the remote, as the branch is now, and pushes the commit. The index and the files of
 * the workspace stay as other steps left them.
 * @returns the files that differ from those of the branch.
 */
export async function pushFiles(place: Place, written: Written): Promise<ReadonlySet<string>> {
  const { branch, files, message } = written;
  const index = join(place.temporary, 'plaudit-index');
  const env = { ...process.env, ...identity, GIT_INDEX_FILE: index };
  const git = (...parameters: string[]): Promise<string> =>
    requireRun('git', parameters, { cwd: place.workspace, env });
  let refusal = '';
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const parent = await fetchTip(place, branch);
    await rm(index, { force: true });
    await git('read-tree', parent ?? '--empty');
    const changed = new Set<string>();
    for (const file of files) {
      const id = await git('hash-object', '-w', '--no-filters', join(written.folder, file));
      const path = file
        .split('/')
        .filter((part) => part !== '.' && part !== '')
        .join('/');
      const [stored] = (await git('ls-files', '--stage', '--', `:(literal,top)${path}`)).split('\t');
      if (stored === `100644 ${id} 0`) continue;
      await git('update-index', '--add', '--cacheinfo', `100644,${id},${path}`);
      changed.add(file);
    }
    if (changed.size === 0) return changed;
    const tree = await git('write-tree');
    const parents = parent === undefined ? [] : ['-p', parent];
    const commit = await git('commit-tree', tree, ...parents, '-m', message);
    const pushed = await run('git', ['push', '--quiet', 'origin', `${commit}:refs/heads/${branch}`], {
      cwd: place.workspace,
    });
    if (pushed.status === 0) {
      await follow(place, { ...written, parent, commit });
      return changed;
    }
    refusal = pushed.errors.trim();
  }
  throw new Error(`the cards could not be pushed to ${branch}: ${refusal}`);
}

/** Fetches the newest commit of a branch; undefined when there is no such branch. */
async function fetchTip({ workspace }: Place, branch: string): Promise<string | undefined> {
  const git = (...parameters: string[]): Promise<string> => requireRun('git', parameters, { cwd: workspace });
  const ref = `refs/heads/${branch}`;
  if ((await git('ls-remote', 'origin', ref)) === '') return undefined;
  // In a whole clone, `--depth` would cut the history.
  const depth = (await git('rev-parse', '--is-shallow-repository')) === 'true' ? ['--depth=1'] : [];
  await git('fetch', '--quiet', '--no-tags', ...depth, 'origin', ref);
  return git('rev-parse', 'FETCH_HEAD');
}

/** Moves the branch that is checked out to a commit on top of it, so that later steps can commit and push as well. */
async function follow(
  { workspace }: Place,
  { folder, files, branch, parent, commit }: Written & { parent: string | undefined; commit: string },
): Promise<void> {
  if (folder !== workspace || parent === undefined) return;
  const moved = await run('git', ['update-ref', `refs/heads/${branch}`, commit, parent], { cwd: workspace });
  if (moved.status === 0) await requireRun('git', ['add', '--force', '--', ...files], { cwd: workspace });
}
