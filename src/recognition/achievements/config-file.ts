import type { UnreportedKind } from '../../hosts/interface/provider.ts';
import { nearest } from '../../model/text.ts';
import { alternatives, type Fault, newFault } from '../rules/conditions/fault.ts';
import { type Checked, nearestDate, readDate } from '../rules/conditions/terms.ts';
import type { Achievement, Config, PointAction, PointRule, Trigger, Webhook } from '../rules/config.ts';
import {
  AchievementEntry,
  type AchievementFile,
  AchievementParts,
  ConfigFile,
  type GitHubWebhookFile,
  MetadataParts,
  PointActionEntry,
  type UrlWebhookFile,
  webhookEntries,
  webhookTypes,
} from '../rules/file/file-schema.ts';
import { nodeAt, readEntries, toShape } from '../rules/file/read-entries.ts';
import { readKeys, readList, readNode, short } from '../rules/file/read-node.ts';
import { checkTriggersAlone, type Reading, readTrigger } from '../rules/file/read-trigger.ts';
import { maxReports, type Report, toReports } from '../rules/file/report.ts';
import { decode, readYamlByParts, type YamlNode } from '../rules/file/yaml-tree.ts';

interface PointActions {
  actions: PointAction[];
  /** The names of all point actions in the file, the faulty ones included. */
  names: string[];
}

const imagePath = /^(?!\/)(?!.*(?:^|\/)\.{1,2}(?:\/|$))[^\s<>:"|?*\\]+\.(?:png|jpe?g|gif|svg|webp|avif|ico)$/iu;

const dayMs = 86_400_000;
const dayForms = 'a day, as MM-DD-YYYY or YYYY-MM-DD';

interface Achievements {
  achievements: Achievement[];
  /** The names of all achievements in the file, the faulty ones included. */
  names: string[];
}

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
      // The search is the slowest part of a check, and of many faults the first ones alone are reported.
      const suggestion = faults.length < maxReports ? nearest(event.value, names) : undefined;
      const expected = 'the name of an achievement of the file';
      faults.push(newFault(place, `there is no achievement ${short(event.value)}`, { expected, suggestion }));
    } else if (eventNames.has(event.value)) {
      const message = `${short(event.value)} is here twice, and announced once`;
      faults.push(newFault(place, message, { severity: 'warning', expected: 'each achievement once' }));
    } else eventNames.add(event.value);
  }
  return [...eventNames];
}

/**
 * Reads the list of achievements.
 * @param node undefined when the file has no list, which is reported elsewhere.
 */
function readAchievements(
  node: YamlNode | undefined,
  points: PointActions,
  { faults, ...reading }: Reading,
): Achievements {
  const achievements: Achievement[] = [];
  const names = new Set<string>();
  if (node === undefined) return { achievements, names: [] };
  const items = readList(toShape(ConfigFile.properties.achievements), node, 'the list achievements', faults);
  for (const item of items) {
    const nameNode = nodeAt(item, 'achievement', 'name');
    const name = nameNode.kind === 'scalar' ? nameNode.text.trim() : '';
    const found: Fault[] = [];
    const achievement = readAchievement(item, points, { ...reading, faults: found });
    if (name !== '' && names.has(name)) {
      found.push(newFault(nameNode, `there is another achievement ${name}`, { expected: 'a name of its own' }));
    } else if (achievement !== undefined) achievements.push(achievement);
    if (name !== '') names.add(name);
    faults.push(...found);
  }
  return { achievements, names: [...names] };
}

function readAchievement(node: YamlNode, points: PointActions, reading: Reading): Achievement | undefined {
  const entry = readNode(AchievementEntry, node, 'a part of the list achievements', reading.faults);
  if (entry === undefined) {
    checkPartsAlone(nodeAt(node, 'achievement'), points, reading);
    return undefined;
  }
  const { achievement } = entry;
  const place = nodeAt(node, 'achievement');
  const evaluateAt = readEvaluatedAt(achievement, place, reading.faults);
  const icon = readIcon(achievement.icon ?? '', nodeAt(place, 'icon'), reading.faults);
  const triggers = readTriggers(achievement, place, points, reading);
  if (triggers === undefined || evaluateAt === undefined) return undefined;
  return {
    name: achievement.name,
    icon,
    description: achievement.description ?? '',
    evaluateAt,
    triggers,
  };
}

/** Checks what the parts of an achievement mean where another one has an error, so that all are reported at once. */
function checkPartsAlone(node: YamlNode, points: PointActions, reading: Reading): void {
  if (node.kind !== 'mapping') return;
  const { icon = '' } = readKeys(AchievementParts, node);
  readIcon(icon, nodeAt(node, 'icon'), reading.faults);
  checkEvaluatedAtAlone(node, reading.faults);
  const surroundings = { pointActions: points.names, isPointAction: false };
  checkTriggersAlone(nodeAt(node, 'triggers'), surroundings, reading);
}

function readTriggers(
  { triggers, type }: AchievementFile['achievement'],
  node: YamlNode,
  points: PointActions,
  reading: Reading,
): Achievement['triggers'] | undefined {
  const surroundings = { pointActions: points.names, isPointAction: false };
  const read = triggers.map(({ trigger }, index) => {
    const place = nodeAt(node, 'triggers', index, 'trigger');
    const checked = readTrigger(trigger, place, surroundings, reading);
    const unusable = checked && findUnusablePoints(checked, points, place, { isOnce: type === 'once' });
    reading.faults.push(...(unusable ?? []));
    return unusable?.some(({ severity }) => severity === 'error') ? undefined : checked;
  });
  const validTriggers = read.filter((trigger) => trigger !== undefined);
  const places = triggers.map((_, index) => nodeAt(node, 'triggers', index, 'trigger'));
  const { groups, faults } = groupTriggers(
    validTriggers,
    triggers.map(({ trigger }) => trigger.operator),
    places,
  );
  reading.faults.push(...faults);
  return validTriggers.length === read.length ? groups : undefined;
}

/**
 * Groups triggers: a trigger with the operator "|" is joined to the next one. One trigger of each group has to hold.
 * @param operators the operator of each trigger.
 * @param places the node of each trigger.
 */
function groupTriggers(
  triggers: readonly Trigger[],
  operators: readonly ('&' | '|' | undefined)[],
  places: readonly YamlNode[],
): { groups: Trigger[][]; faults: Fault[] } {
  const groups: Trigger[][] = [];
  const faults: Fault[] = [];
  for (const [index, trigger] of triggers.entries()) {
    const joined = index > 0 && operators[index - 1] === '|' ? groups.at(-1) : undefined;
    if (joined === undefined) groups.push([trigger]);
    else joined.push(trigger);
  }
  const last = operators.length - 1;
  const lastPlace = places[last];
  if (operators[last] === '|' && lastPlace !== undefined) {
    const message = 'there is no next trigger that this one could be joined to';
    const expected = 'operator at the trigger before it, or not at all';
    faults.push(newFault(nodeAt(lastPlace, 'operator'), message, { severity: 'warning', expected }));
  }
  const inside = operators.slice(0, -1);
  const firstOr = inside.indexOf('|');
  const orPlace = places[firstOr];
  if (orPlace !== undefined && inside.some((operator) => operator !== '|')) {
    const message = 'triggers joined by "|" count as one here, and all the others have to hold besides';
    const expected = 'triggers that are joined in one way alone';
    faults.push(newFault(nodeAt(orPlace, 'operator'), message, { severity: 'warning', expected }));
  }
  return { groups, faults };
}

/**
 * Finds the terms about points that use a point action with errors, and ranks that probably do not mean what their
 * author intends.
 */
function findUnusablePoints(
  { condition }: Trigger,
  points: PointActions,
  place: YamlNode,
  { isOnce }: { isOnce: boolean },
): Fault[] {
  const node = nodeAt(place, 'condition');
  const pointTerms = listPointTerms(condition);
  const faulty = new Set(pointTerms.flatMap(({ actions }) => actions));
  for (const { name } of points.actions) faulty.delete(name);
  const faults = [...faulty].map((name) =>
    newFault(node, `the point action ${name} that this requires has an error`, {
      expected: 'a point action without errors',
    }),
  );
  if (!isOnce && pointTerms.some(({ kind }) => kind === 'rank')) {
    faults.push(
      newFault(node, 'every account that ever has this rank gets the achievement', {
        severity: 'warning',
        expected: 'type: once with a date, at which the rank counts',
      }),
    );
  }
  return faults;
}

function listPointTerms(condition: Checked): Extract<Checked, { kind: 'sum' | 'rank' }>[] {
  if (condition.kind === 'sum' || condition.kind === 'rank') return [condition];
  return condition.kind === 'and' || condition.kind === 'or' ? condition.terms.flatMap(listPointTerms) : [];
}

/**
 * Returns the moment as of which an achievement is evaluated; null when it can be earned at any time, undefined after
 * an error.
 */
function readEvaluatedAt(
  { type, metadata }: Pick<AchievementFile['achievement'], 'type' | 'metadata'>,
  node: YamlNode,
  faults: Fault[],
): Date | null | undefined {
  const text = metadata?.date;
  const place = nodeAt(node, 'metadata', 'date');
  if (type !== 'once') {
    if (text !== undefined) {
      const message = 'this date has no effect: the achievement can be earned at any time';
      faults.push(newFault(place, message, { severity: 'warning', expected: 'type: once beside it, or no date' }));
    }
    return null;
  }
  if (text === undefined) {
    const expected = `metadata: { date: ${dayForms.slice('a day, as '.length)} }`;
    faults.push(newFault(nodeAt(node, 'type'), 'the date of the evaluation is missing', { expected }));
    return undefined;
  }
  const { date, message = `${text} has a time` } = readDate(text);
  if (date?.isWholeDay === true) return new Date(date.from.getTime() + dayMs);
  faults.push(newFault(place, message, { expected: dayForms, suggestion: nearestDate(text)?.split(' ')[0] }));
  return undefined;
}

/** Checks the date of an achievement that has another error; a faulty type beside a date is taken for `once`. */
function checkEvaluatedAtAlone(node: YamlNode, faults: Fault[]): void {
  const has = (...path: string[]): boolean => nodeAt(node, ...path) !== nodeAt(node, ...path.slice(0, -1));
  const { type } = readKeys(AchievementParts, node);
  const { date } = has('metadata') ? readKeys(MetadataParts, nodeAt(node, 'metadata')) : {};
  const isTypeFaulty = type === undefined && has('type');
  const isDateFaulty = date === undefined && has('metadata', 'date');
  if (isDateFaulty || (isTypeFaulty && date === undefined)) return;
  const metadata = date === undefined ? {} : { metadata: { date } };
  readEvaluatedAt({ ...(isTypeFaulty ? { type: 'once' } : type && { type }), ...metadata }, node, faults);
}

/**
 * Reads the icon of an achievement.
 * @returns the URL or the path of an image; empty for any other text, with which the achievement has no icon.
 */
function readIcon(text: string, node: YamlNode, faults: Fault[]): string {
  const path = text.replace(/^\.\//, '');
  if (text === '' || isHttpUrl(text)) return text;
  if (imagePath.test(path)) return path;
  if (/^https?:\/\/\S+\s/i.test(text)) {
    const suggestion = text.trim().replaceAll(/\s/g, '%20');
    const details = { severity: 'warning', expected: '%20 in place of a space', suggestion } as const;
    faults.push(newFault(node, `the address ${short(text)} has a space, and the achievement has no icon`, details));
    return '';
  }
  faults.push(
    newFault(node, `${short(text)} is not an image, and the achievement has none`, {
      severity: 'warning',
      expected: 'an address like https://..., or a path like .plaudit/hero.png',
    }),
  );
  return '';
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s<>"]+$/i.test(text) && URL.canParse(text) && new URL(text).username === '';
}

/**
 * Reads the list of point actions.
 * @param node undefined when the file has no list.
 */
function readPointActions(node: YamlNode | undefined, reading: Reading): PointActions {
  if (node === undefined) return { actions: [], names: [] };
  const items = readList(toShape(ConfigFile.properties.actions), node, 'the list actions', reading.faults);
  const actions: PointAction[] = [];
  const names = new Set<string>();
  for (const item of items) {
    const nameNode = nodeAt(item, 'action', 'name');
    const name = nameNode.kind === 'scalar' ? nameNode.text.trim() : '';
    const action = readPointAction(item, reading);
    if (names.has(name)) {
      reading.faults.push(
        newFault(nameNode, `there is another point action ${name}`, { expected: 'a name of its own' }),
      );
    } else if (action !== undefined) actions.push(action);
    if (name !== '') names.add(name);
  }
  return { actions, names: [...names] };
}

function readPointAction(node: YamlNode, reading: Reading): PointAction | undefined {
  const entry = readNode(PointActionEntry, node, 'a part of the list actions', reading.faults);
  if (entry === undefined) {
    const triggers = nodeAt(node, 'action', 'triggers');
    checkTriggersAlone(triggers, { pointActions: [], isPointAction: true }, reading);
    return undefined;
  }
  const { name, triggers } = entry.action;
  const rules = triggers.map(({ trigger }, index): PointRule | undefined => {
    const place = nodeAt(node, 'action', 'triggers', index, 'trigger');
    const rule = readTrigger(trigger, place, { pointActions: [], isPointAction: true }, reading);
    return rule && Object.assign(rule, { value: trigger.value });
  });
  const validRules = rules.filter((rule) => rule !== undefined);
  return validRules.length === rules.length ? { name, rules: validRules } : undefined;
}
