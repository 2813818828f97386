import type { LRUCache } from 'lru-cache';
import type { RepositoryFile, UnreportedKind } from '../../../hosts/interface/provider.ts';
import { newFault } from '../../rules/conditions/fault.ts';
import type { Config } from '../../rules/config.ts';
import { type Report, toReports } from '../../rules/file/report.ts';
import { maxFileBytes } from '../../rules/file/yaml-tree.ts';
import { readConfigFile } from '../config-file.ts';

/** The file of achievements of a repository, parsed. */
export interface ReadFile {
  path: string;
  oid: string;
  text: string;
  reports: Report[];
  config: Config;
}

/** The parts of a file that decide who earns an achievement. */
export type EvaluatedConfig = Pick<Config, 'achievements' | 'pointActions'>;

/** Parsed files by their git object ids: a file that was parsed to be stored is not parsed again to be evaluated. */
export type ParsedFiles = LRUCache<string, EvaluatedConfig>;

/** Returns a stored file as this process parsed it; parses it when another process did, or an earlier run of this one. */
export function parseOnce(parsedFiles: ParsedFiles, { oid, text }: { oid: string; text: string }): EvaluatedConfig {
  const parsed = parsedFiles.get(oid);
  if (parsed !== undefined) return parsed;
  const { achievements, pointActions } = readConfigFile(Buffer.from(text)).config;
  const config = { achievements, pointActions };
  parsedFiles.set(oid, config);
  return config;
}

/**
 * Parses a file as its provider returns it. A file that is not text, or too long, gives one fault and nothing else.
 * @param unreported the data that the provider does not return.
 */
export function readFile(
  { path, oid, text, sizeBytes }: RepositoryFile,
  unreported: readonly UnreportedKind[],
): ReadFile {
  if (text !== null && sizeBytes <= maxFileBytes)
    return { path, oid, ...readConfigFile(Buffer.from(text), unreported) };
  const [message, expected] =
    sizeBytes > maxFileBytes
      ? [`the file has ${sizeBytes} bytes`, `at most ${maxFileBytes}`]
      : ['the file is not text', 'text in UTF-8'];
  const reports = toReports('', [newFault({ start: 0, end: 0 }, message, { expected })]);
  return { path, oid, text: '', reports, config: { pointActions: [], achievements: [], webhooks: [] } };
}
