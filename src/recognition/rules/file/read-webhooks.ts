import { nearest } from '../../../model/text/nearest.ts';
import { alternatives, type Fault, newFault } from '../conditions/fault.ts';
import type { Webhook } from '../config.ts';
import {
  ConfigFile,
  type GitHubWebhookFile,
  type UrlWebhookFile,
  webhookEntries,
  webhookTypes,
} from './file-schema.ts';
import { nodeAt } from './read-entries.ts';
import { readList, readNode, short } from './read-node.ts';
import type { Reading } from './read-trigger.ts';
import { shapeOf } from './shape.ts';
import type { YamlNode } from './yaml-tree.ts';

const subject = 'a part of the list webhooks';

/**
 * Reads the list of webhooks.
 * @param node undefined when the file has no list.
 * @param names the names of all achievements in the file.
 */
export function readWebhooks(node: YamlNode | undefined, names: readonly string[], { faults }: Reading): Webhook[] {
  if (node === undefined) return [];
  const webhooks = new Map<string, Webhook>();
  for (const item of readList(shapeOf(ConfigFile.properties.webhooks), node, 'the list webhooks', faults)) {
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
