import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../model/errors.ts';
import { maxFileBytes } from '../../recognition/rules/file/yaml-tree.ts';
import type { Io } from './io.ts';

const explanations: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  ENOTDIR: 'a part of this path is not a directory',
  EISDIR: 'this is a directory',
  EACCES: 'the user of this process has no permission for it',
  EEXIST: 'there is a file of this name already, and it is not replaced; choose another name',
  ENOSPC: 'no space is left for it',
  EPIPE: 'the program that reads it has ended',
};

/**
 * Writes a new file that only its owner can read, and removes it when that fails, so that no incomplete file is taken for
 * a whole one.
 * @param streams the bytes, and the streams that convert them.
 * @throws Error with the code `EEXIST` when there is a file of this name.
 */
export async function writeNewFile(
  streams: readonly [Readable, ...Duplex[]],
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const output = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  let isOpen = false;
  output.once('open', () => {
    isOpen = true;
  });
  try {
    await pipeline([...streams, output], { signal });
  } catch (error) {
    if (isOpen) await rm(path, { force: true });
    throw error;
  }
}

const programFolder = resolve(fileURLToPath(new URL('../../../', import.meta.url)));

/** Returns the folder in which a command was typed: `npm run` runs it in the folder of the program, and names that one. */
export function findStartFolder({ environment }: Pick<Io, 'environment'>): string {
  const present = process.cwd();
  return (present === programFolder && environment['INIT_CWD']) || present;
}

/**
 * Finds a file of the repository in which a command was typed, from that folder up to the one that git knows.
 * @param paths the paths within the repository; the first one that exists counts.
 */
export function findInRepository(io: Pick<Io, 'environment'>, paths: readonly string[]): string | undefined {
  for (let folder = findStartFolder(io); ; folder = dirname(folder)) {
    const found = paths.map((path) => join(folder, path)).find((path) => existsSync(path));
    if (found !== undefined || existsSync(join(folder, '.git')) || folder === dirname(folder)) return found;
  }
}

/**
 * Reads a file, or standard input for `-`, up to one byte more than the limit: a file may be endless, and the
 * additional byte shows that it is too long.
 * @throws AppError `invalid_input` when the file cannot be read.
 */
export async function readBytes(io: Io, path: string): Promise<Uint8Array> {
  if (path === '-') return readUpTo(io.input ?? [], maxFileBytes + 1);
  try {
    return await readUpTo(createReadStream(resolve(findStartFolder(io), path)), maxFileBytes + 1);
  } catch (cause) {
    const explained = explainFileError(cause, path);
    throw explained instanceof AppError
      ? explained
      : new AppError('invalid_input', `${path} cannot be read`, { cause });
  }
}

async function readUpTo(stream: AsyncIterable<unknown> | Iterable<unknown>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
    chunks.push(bytes);
    length += bytes.length;
    if (length >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/** Returns an error that names the file and the cause in words; other errors as they are. */
export function explainFileError(cause: unknown, path: string): unknown {
  const reason = cause instanceof Error && 'code' in cause ? explanations[String(cause.code)] : undefined;
  const name = path === '-' ? 'the standard stream' : path;
  return reason === undefined ? cause : new AppError('invalid_input', `${name}: ${reason}`, { cause });
}
