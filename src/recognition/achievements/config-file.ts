import type { UnreportedKind } from '../../hosts/interface/unreported.ts';
import { type Fault, newFault } from '../rules/conditions/fault.ts';
import type { Config } from '../rules/config.ts';
import { decode } from '../rules/file/decode.ts';
import { ConfigFile } from '../rules/file/file-schema.ts';
import { readAchievements } from '../rules/file/read-achievements.ts';
import { readEntries } from '../rules/file/read-entries.ts';
import { readPointActions } from '../rules/file/read-point-actions.ts';
import type { Reading } from '../rules/file/read-trigger.ts';
import { readWebhooks } from '../rules/file/read-webhooks.ts';
import { type Report, toReports } from '../rules/file/report.ts';
import { shapeOf } from '../rules/file/shape.ts';
import { readYamlByParts } from '../rules/file/yaml-recovery.ts';
import type { YamlNode } from '../rules/file/yaml-tree.ts';

/** The paths at which a repository may have its file; the first one that exists counts. */
export const configPaths = ['.plaudit/config.yaml', '.plaudit/config.yml', '.vaunt/config.yaml', '.vaunt/config.yml'];

export interface ReadConfigFile {
  /** The parts of the file without errors; a faulty achievement does not invalidate the others. */
  config: Config;
  reports: Report[];
  /** The file as text, as far as it could be decoded. */
  text: string;
}

/**
 * Reads a file of achievements. Returns all faults with their places, and never throws because of the contents.
 * @param unreported the data that the host of the repository does not return; conditions that need it get a warning.
 */
export function readConfigFile(bytes: Uint8Array, unreported: readonly UnreportedKind[] = []): ReadConfigFile {
  const { text, fault } = decode(bytes);
  const faults: Fault[] = fault === undefined ? [] : [fault];
  const { root, faults: yamlFaults } = fault === undefined ? readYamlByParts(text) : { root: undefined, faults: [] };
  faults.push(...yamlFaults);
  const config =
    root === undefined
      ? emptyConfig()
      : readRoot(root, { file: text, faults, unreported: { hosts: [{ kinds: unreported }], noun: 'trigger' } });
  if (root === undefined && faults.length === 0) {
    faults.push(newFault({ start: 0, end: 0 }, 'the file is empty', { expected: 'version, achievements' }));
  }
  return { config, reports: toReports(text, faults), text };
}

function emptyConfig(): Config {
  return { pointActions: [], achievements: [], webhooks: [] };
}

function readRoot(root: YamlNode, reading: Reading): Config {
  const parts = new Map<string, YamlNode>();
  const shape = shapeOf(ConfigFile);
  readEntries({ ...shape, properties: shape.properties ?? {} }, root, 'the file', {
    faults: reading.faults,
    // The lists are read below, part by part, so that a faulty part does not invalidate the others.
    read: (_shape, node, subject) => parts.set(subject, node),
  });
  checkVersion(parts.get('version'), reading.faults);
  const actions = readPointActions(parts.get('the list actions'), reading);
  const achievements = readAchievements(parts.get('the list achievements'), actions, reading);
  const webhooks = readWebhooks(parts.get('the list webhooks'), achievements.names, reading);
  return { pointActions: actions.actions, achievements: achievements.achievements, webhooks };
}

function checkVersion(node: YamlNode | undefined, faults: Fault[]): void {
  if (node === undefined || (node.kind === 'scalar' && node.text === '0.0.1')) return;
  faults.push(
    newFault(node, 'this version is not known, and read as 0.0.1', { severity: 'warning', expected: '0.0.1' }),
  );
}
