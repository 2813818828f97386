import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryDirectory extends AsyncDisposable {
  path: string;
  /** Returns the path of an entry, which need not exist. */
  pathOf: (name: string) => string;
}

/** Makes a directory that is removed with its content when it goes out of scope: `await using directory = ...`. */
export async function makeTemporaryDirectory(): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'plaudit-test-'));
  return {
    path,
    pathOf: (name) => join(path, name),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}
