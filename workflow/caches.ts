import { isFeatureAvailable, restoreCache, saveCache } from '@actions/cache';
import { info, warning } from '@actions/core';

/** Restores a folder. A lost cache and one that fails cost time only. @returns true when it is there. */
export async function restore(folder: string, key: string, prefix?: string): Promise<boolean> {
  if (!isFeatureAvailable()) return false;
  try {
    return (await restoreCache([folder], key, prefix === undefined ? [] : [prefix])) !== undefined;
  } catch (error) {
    warning(`The cache cannot be read: ${describe(error)}`);
    return false;
  }
}

/** Saves a folder for the next run. */
export async function save(folder: string, key: string): Promise<void> {
  if (!isFeatureAvailable()) {
    info('This runner has no cache, so the next run reads everything again.');
    return;
  }
  try {
    await saveCache([folder], key);
  } catch (error) {
    warning(`The cache cannot be written: ${describe(error)}`);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
