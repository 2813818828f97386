import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

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
