import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../src/database/open.ts';
import { type DataDir, makeDataDir } from './bench-service.ts';
import { findStored, type Size, type StoredOrganization, storeOrganization } from './stored-organization.ts';

/**
 * BENCH_KEEP names a folder that keeps one filled data directory for each size, 12 GB for 10,000,000 contributions.
 * Measurements change copies of them. Remove the folder when the tables or the filling have changed.
 */
const kept = process.env['BENCH_KEEP'];

/** Opens a database with an organization of a size: a copy of the one that is kept, or one that is filled now. */
export async function openOrganization(size: Size): Promise<{ place: DataDir; stored: StoredOrganization }> {
  if (kept === undefined) {
    const place = await makeDataDir();
    try {
      return { place, stored: await storeOrganization(place.database, size) };
    } catch (error) {
      await place[Symbol.asyncDispose]();
      throw error;
    }
  }
  const place = await makeDataDir(await keep(kept, size));
  return { place, stored: await findStored(place.database.pool) };
}

/** Returns a data directory that is filled completely, and that no process uses. */
async function keep(folder: string, size: Size): Promise<string> {
  const dataDir = join(folder, [size.contributions, size.repositories, size.people].join('-'));
  if (existsSync(dataDir)) return dataDir;
  const unfinished = `${dataDir}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  const database = await openDatabase({ databaseUrl: undefined, dataDir: unfinished, log: () => {} });
  try {
    await storeOrganization(database, size);
  } finally {
    await database.close();
  }
  await rename(unfinished, dataDir);
  return dataDir;
}
