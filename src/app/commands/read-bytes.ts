import { createReadStream } from 'node:fs';
import { AppError } from '../../model/errors.ts';
import { maxFileBytes } from '../../recognition/rules/file/decode.ts';
import { explainFileError } from './file-error.ts';
import type { Io } from './io.ts';

/**
 * Reads a file, or standard input for `-`, up to one byte more than the limit: a file may be endless, and the
 * additional byte shows that it is too long.
 * @throws AppError `invalid_input` when the file cannot be read.
 */
export async function readBytes(io: Io, path: string): Promise<Uint8Array> {
  if (path === '-') return readUpTo(io.input ?? [], maxFileBytes + 1);
  try {
    return await readUpTo(createReadStream(path), maxFileBytes + 1);
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
