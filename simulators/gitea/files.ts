import { gitId } from '../git/git-id.ts';
import { toLineCounts } from '../world/line-counts.ts';
import type { ChangedFile, Commit, Repository } from '../world/model.ts';
import { commit, type ResponseContext, type Shape, toShape } from './responses.ts';

/** Changes of commits and pull requests, and contents of files. */

const shapes = {
  changedFile: toShape('pull-1-files', 0),
  branch: toShape('repo-branches', 0),
  commit: toShape('commit-one'),
};

/** Returns a commit as its own endpoint shows it, with its changed files. */
export function wholeCommit(context: ResponseContext, source: Commit): Shape {
  const { additions, deletions } = toLineCounts(source);
  const files = [...source.changes.keys()].map((filename) => ({ filename, status: 'modified' }));
  const stats = { total: additions + deletions, additions, deletions };
  return { ...shapes.commit, ...commit(context, source), files, stats };
}

export function branch({ defaultBranch, commits }: Repository): Shape {
  const id = commits.at(-1)?.oid;
  return { ...shapes.branch, name: defaultBranch, commit: { ...(shapes.branch['commit'] as Shape), id } };
}

export function changedFile({ path, additions, deletions }: ChangedFile): Shape {
  return { ...shapes.changedFile, filename: path, additions, deletions, changes: additions + deletions };
}

/** Returns the contents of a file in the shape of the API description, because none was recorded. */
export function contents(path: string, text: string): Shape {
  const content = Buffer.from(text);
  return {
    name: path.split('/').at(-1),
    path,
    sha: gitId('blob', content),
    type: 'file',
    size: content.length,
    encoding: 'base64',
    content: content.toString('base64'),
    target: null,
    submodule_git_url: null,
  };
}
