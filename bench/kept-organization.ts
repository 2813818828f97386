import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type DataDir, makeDataDir } from './bench-service.ts';
import { fillOrganization, type Size } from './fill-organization.ts';
import { findStored, type StoredOrganization } from './stored-organization.ts';

/**
 * BENCH_KEEP names a folder that keeps one filled data directory for each size, 10 GB for 10,000,000 contributions.
 * Measurements change copies of them. Remove the folder when the tables or the filling have changed.
 */
const kept = process.env['BENCH_KEEP'];

/** Opens a database with an organization of a size: a copy of the one that is kept, or one that is filled now. */
export async function openOrganization(size: Size): Promise<{ place: DataDir; stored: StoredOrganization }> {
  const place = await makeDataDir(async (dataDir) => {
    if (kept === undefined) return fillOrganization(dataDir, size);
    // The files belong to the user of the server.
    await promisify(execFile)('cp', ['-a', '--reflink=auto', `${await keep(kept, size)}/.`, dataDir]);
  });
  return { place, stored: await findStored(place.database.pool) };
}

/** Returns a data directory that is filled completely, and that no process uses. */
async function keep(folder: string, size: Size): Promise<string> {
  const dataDir = join(folder, [size.contributions, size.repositories, size.people].join('-'));
  if (existsSync(dataDir)) return dataDir;
  const unfinished = `${dataDir}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  await fillOrganization(unfinished, size);
  await rename(unfinished, dataDir);
  return dataDir;
}
