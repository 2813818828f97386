import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns the response to an `ls-refs` command of git's protocol 2, or undefined for another command. Each fetch lists
 * the references first; starting git for that takes longer than everything else of a request.
 * Every reference is a file, and points to a commit, as `buildRepository` makes them (`man gitprotocol-v2`).
 */
export async function listRefs(directory: string, request: Buffer): Promise<Buffer | undefined> {
  const lines = packetLines(request);
  if (lines[0] !== 'command=ls-refs') return undefined;
  const prefixes = lines
    .filter((line) => line.startsWith('ref-prefix '))
    .map((line) => line.slice('ref-prefix '.length));
  const head = /^ref: (.+)\n/.exec(await readFile(join(directory, 'HEAD'), 'utf8'))?.[1];
  const refs = await readRefs(directory).catch((error: unknown) => {
    // A reference was removed since its directory was listed.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  // A detached HEAD, packed references and annotated tags are left to git.
  if (head === undefined || refs === undefined) return undefined;
  const target = lines.includes('symrefs') ? ` symref-target:${head}` : '';
  const oid = refs.get(head);
  const atHead =
    oid === undefined ? (lines.includes('unborn') ? `unborn HEAD${target}` : undefined) : `${oid} HEAD${target}`;
  const listed = [...refs].filter(([name]) => isWanted(name, prefixes)).map(([name, id]) => `${id} ${name}`);
  const all = atHead !== undefined && isWanted('HEAD', prefixes) ? [atHead, ...listed] : listed;
  return Buffer.from(`${all.map((line) => packetLine(`${line}\n`)).join('')}0000`);
}

function isWanted(name: string, prefixes: readonly string[]): boolean {
  return prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix));
}

/** Returns the ids of references by full name, in git's order; undefined when some are not in files of their own. */
async function readRefs(directory: string): Promise<Map<string, string> | undefined> {
  const entries = await readdir(directory, { withFileTypes: true });
  if (entries.some(({ name }) => name === 'packed-refs')) return undefined;
  const files = await readdir(join(directory, 'refs'), { recursive: true, withFileTypes: true });
  // Git writes a reference to a file with this ending, and renames it.
  const paths = files
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.lock'))
    .map((entry) => join(entry.parentPath, entry.name));
  const names = paths.map((path) => path.slice(directory.length + 1)).toSorted();
  if (names.some((name) => name.startsWith('refs/tags/'))) return undefined;
  const ids = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
  return new Map(names.map((name, index) => [name, ids[index]?.trim() ?? '']));
}

function packetLines(request: Buffer): string[] {
  const lines: string[] = [];
  for (let at = 0; at + 4 <= request.length; ) {
    const length = Number.parseInt(request.toString('latin1', at, at + 4), 16);
    // Lengths below 4 mark the end of a section and of the request.
    if (length >= 4) lines.push(request.toString('utf8', at + 4, at + length).trimEnd());
    at += Math.max(length, 4);
  }
  return lines;
}

function packetLine(text: string): string {
  return `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;
}
