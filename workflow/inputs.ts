import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A card to write: a file in the repository, and the address of its image on a service. */
export interface CardLine {
  file: string;
  address: string;
}

export interface Inputs {
  cards: CardLine[];
  token: string;
  /** True for the token that the runner made for this run, which reads nothing that readers of the repository cannot. */
  isWorkflowToken: boolean;
  message: string;
  /** The branch to write to; undefined: the one that is checked out. */
  ref: string | undefined;
  /** True where the files stay in the workspace, and nothing is committed. */
  isUploadOnly: boolean;
}

/** The place of a run, as the runner describes it in environment variables. */
export interface Place {
  workspace: string;
  temporary: string;
  serverUrl: string;
  /** `OWNER/NAME` */
  repository: string;
  /** The kind of the host, which its addresses begin with. */
  host: 'github' | 'gitea';
}

/**
 * Names that some file systems take for `.git`, as git itself knows (core.protectHFS and core.protectNTFS), and parts that
 * lead elsewhere.
 */
const unsafePath = /^\/\/|\/\.\.\/|\/\.git[\s./:]|\/git~\d\/|\\|\p{Cc}/iu;

type Read = (name: string) => string;

/** Reads the inputs. @throws AggregateError with an error for each problem. */
export function readInputs(read: Read, place: Place): Inputs {
  const problems: string[] = [];
  const ref = read('ref') === '' ? undefined : read('ref').replace(/^refs\/heads\//, '');
  const isUploadOnly = readFlag(read('upload-only'), problems);
  const workflowToken = read('workflow-token');
  const token = read('token') || workflowToken;
  const message = read('message');
  if (token === '') problems.push('token is empty: no data can be read without one');
  if (message === '') problems.push('message is empty: a commit needs one');
  if (isUploadOnly && ref !== undefined) problems.push('upload-only commits nothing, so it cannot have a ref');
  if (ref !== undefined && !isBranch(ref)) problems.push(`ref ${JSON.stringify(ref)} is not the name of a branch`);
  const cards = readCards(read, place, problems);
  // Files of another branch are written outside the workspace, where there are no links.
  if (ref === undefined) problems.push(...cards.flatMap(({ file }) => findLink(file, place.workspace) ?? []));
  if (problems.length > 0) throw new AggregateError(problems.map((problem) => new Error(problem)));
  return { cards, token, isWorkflowToken: token === workflowToken, message, ref, isUploadOnly };
}

function readFlag(text: string, problems: string[]): boolean {
  if (text !== '' && text !== 'true' && text !== 'false') problems.push(`upload-only is true or false, not ${text}`);
  return text === 'true';
}

/** Returns whether git takes a name for that of a branch (git-check-ref-format). */
function isBranch(name: string): boolean {
  const isForbidden = /^[-/]|\.\.|\/[./]|^\.|[/.]$|\.lock(?:\/|$)|@\{|[\s~^:?*[\\]|\p{Cc}/u.test(name);
  return !isForbidden && name !== '' && name !== '@' && name !== 'HEAD';
}

function readCards(read: Read, { repository, host }: Place, problems: string[]): CardLine[] {
  const lines = read('cards')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const cards = lines.flatMap((line) => {
    const [file = '', address = ''] = line.split(/\s+(.*)/);
    if (address === '') problems.push(`a line of cards needs a file and an address: ${file}`);
    return address === '' ? [] : [{ file, address }];
  });
  if (lines.length === 0) {
    const limit = read('limit');
    if (!/^(?:[1-9]\d?|100)$/.test(limit))
      problems.push(`limit is a number from 1 to 100, not ${JSON.stringify(limit)}`);
    const [owner = '', name = ''] = repository.split('/');
    const address = `/v1/${host}/entities/${owner}/repositories/${name}/contributors?limit=${limit}&hide=coverage`;
    cards.push({ file: `${read('directory').replace(/\/+$/, '')}/contributors.svg`, address });
  }
  for (const { file, address } of cards) {
    if (unsafePath.test(`/${file}/`)) problems.push(`${file} is not a file of the repository`);
    if (!/\.(?:svg|png)$/.test(file)) problems.push(`${file}: files end with .svg or .png`);
    if (!/^\/v1\/\S+$/.test(address))
      problems.push(`${file}: the address of a card begins with /v1/ and has no spaces`);
  }
  return cards;
}

/** Finds a link on the way to a file. It can lead out of the repository, into `.git`, or to a file of something else. */
function findLink(file: string, workspace: string): string | undefined {
  for (let part = file; part !== '.' && part !== '/'; part = dirname(part)) {
    if (lstatSync(join(workspace, part), { throwIfNoEntry: false })?.isSymbolicLink() === true)
      return `${file} is not a file of the repository: ${part} is a link`;
  }
  return undefined;
}
