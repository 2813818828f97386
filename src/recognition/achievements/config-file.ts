import type { UnreportedKind } from '../../hosts/interface/provider.ts';
import { nearest } from '../../model/text/nearest.ts';
import { alternatives, type Fault, newFault } from '../rules/conditions/fault.ts';
import type { Config, Webhook } from '../rules/config.ts';
import { decode } from '../rules/file/decode.ts';
import {
  ConfigFile,
  type GitHubWebhookFile,
  type UrlWebhookFile,
  webhookEntries,
  webhookTypes,
} from '../rules/file/file-schema.ts';
import { readAchievements } from '../rules/file/read-achievements.ts';
import { nodeAt, readEntries } from '../rules/file/read-entries.ts';
import { readList, readNode, short } from '../rules/file/read-node.ts';
import { readPointActions } from '../rules/file/read-point-actions.ts';
import type { Reading } from '../rules/file/read-trigger.ts';
import { type Report, toReports } from '../rules/file/report.ts';
import { toShape } from '../rules/file/shape.ts';
import { readYamlByParts } from '../rules/file/yaml-recovery.ts';
import type { YamlNode } from '../rules/file/yaml-tree.ts';

const subject = 'a part of the list webhooks';

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
  const shape = toShape(ConfigFile);
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

/**
 * Reads the list of webhooks.
 * @param node undefined when the file has no list.
 * @param names the names of all achievements in the file.
 */
function readWebhooks(node: YamlNode | undefined, names: readonly string[], { faults }: Reading): Webhook[] {
  if (node === undefined) return [];
  const webhooks = new Map<string, Webhook>();
  for (const item of readList(toShape(ConfigFile.properties.webhooks), node, 'the list webhooks', faults)) {
    const webhook = readWebhook(item, names, faults);
    if (webhook === undefined) continue;
    if (webhooks.has(webhook.name)) {
      const place = nodeAt(item, 'webhook', 'name');
      faults.push(newFault(place, `there is another webhook ${webhook.name}`, { expected: 'a name of its own' }));
    } else webhooks.set(webhook.name, webhook);
  }
  return [...webhooks.values()];
}

function readWebhook(node: YamlNode, names: readonly string[], faults: Fault[]): Webhook | undefined {
  const type = nodeAt(node, 'webhook', 'type');
  const text = type.kind === 'scalar' ? type.text.toLowerCase() : 'github';
  if (!webhookTypes.includes(text)) {
    const suggestion = nearest(text, webhookTypes);
    faults.push(newFault(type, `type cannot be ${short(text)}`, { expected: alternatives(webhookTypes), suggestion }));
    return undefined;
  }
  if (text === 'github') {
    const entry = readNode(webhookEntries.github, node, subject, faults)?.webhook;
    if (entry === undefined) return undefined;
    const achievements = readEvents(entry, nodeAt(node, 'webhook'), names, faults);
    return { name: entry.name, type: 'github', ...entry.metadata.discussion, achievements };
  }
  const entry = readNode(webhookEntries.url, node, subject, faults)?.webhook;
  if (entry === undefined) return undefined;
  const achievements = readEvents(entry, nodeAt(node, 'webhook'), names, faults);
  return { name: entry.name, type: entry.type, url: entry.metadata.url, achievements };
}

/** Returns the names of achievements that exist; adds a fault for each other name. */
function readEvents(
  { events }: GitHubWebhookFile['webhook'] | UrlWebhookFile['webhook'],
  node: YamlNode,
  names: readonly string[],
  faults: Fault[],
): string[] {
  const eventNames = new Set<string>();
  for (const [index, { event }] of events.entries()) {
    const place = nodeAt(node, 'events', index, 'event', 'value');
    if (!names.includes(event.value)) {
      const suggestion = nearest(event.value, names);
      const expected = 'the name of an achievement of the file';
      faults.push(newFault(place, `there is no achievement ${short(event.value)}`, { expected, suggestion }));
    } else if (eventNames.has(event.value)) {
      const message = `${short(event.value)} is here twice, and announced once`;
      faults.push(newFault(place, message, { severity: 'warning', expected: 'each achievement once' }));
    } else eventNames.add(event.value);
  }
  return [...eventNames];
}
