import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { CommitDescription, Person } from './build-repository.ts';

/**
 * A history of a real public repository: rails has 99,429 commits, serverpod 2,810. E-mail addresses other than
 * GitHub's noreply ones are replaced by a hash, one to one; names and messages are not kept.
 */
export type HistoryName = 'rails' | 'serverpod';

/** Returns the commits of a real history, oldest first. */
export async function readHistory(name: HistoryName): Promise<CommitDescription[]> {
  const packed = await readFile(new URL(`histories/${name}.tsv.gz`, import.meta.url));
  const text = (await promisify(gunzip)(packed)).toString('utf8');
  return text.trimEnd().split('\n').map(parseLine);
}

/**
 * Columns: parents by line number from 0, author's e-mail, author time, committer time in Unix seconds, co-authors'
 * e-mails.
 */
function parseLine(line: string): CommitDescription {
  const [parents = '', author = '', authoredAt, committedAt, coAuthors = ''] = line.split('\t');
  return {
    parents: listed(parents).map(Number),
    author: toPerson(author),
    authoredAt: new Date(Number(authoredAt) * 1000),
    committedAt: new Date(Number(committedAt) * 1000),
    coAuthors: listed(coAuthors).map(toPerson),
  };
}

function toPerson(email: string): Person {
  return { name: email.split('@', 1)[0] ?? '', email };
}

function listed(text: string): string[] {
  return text === '' ? [] : text.split(',');
}
