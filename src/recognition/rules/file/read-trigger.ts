import type { UnreportedKind } from '../../../hosts/interface/provider.ts';
import type { ContributionDetails } from '../../../model/contribution.ts';
import { nearest } from '../../../model/text.ts';
import { type CheckedCondition, checkCondition, type Surroundings } from '../conditions/check.ts';
import { alternatives, type Fault, newFault, type Span } from '../conditions/fault.ts';
import type { Checked } from '../conditions/terms.ts';
import {
  type Action,
  type Actor,
  actions,
  actionsByActor,
  actorAliases,
  actors,
  canBeOwn,
  type Field,
} from '../conditions/vocabulary.ts';
import type { Trigger } from '../config.ts';
import { kindsOfAction } from '../kinds.ts';
import { maxTriggers, TriggerParts } from './file-schema.ts';
import { nodeAt } from './read-entries.ts';
import { readKeys } from './read-node.ts';
import { detailOfActor, detailOfField } from './required-data.ts';
import type { YamlNode, YamlScalar } from './yaml-tree.ts';

/** Data that is not reported, and how warnings of it are worded. */
interface Unreported {
  /** The hosts of the repositories that the file concerns, each with the data that it does not return. */
  hosts: readonly UnreportedHost[];
  /** The word for a trigger in the file. */
  noun: 'trigger' | 'rule';
}

export interface UnreportedHost {
  /** Begins the host's warnings; absent where the file concerns no other host. */
  name?: string | undefined;
  kinds: readonly UnreportedKind[];
}

/** The places of the parts of a trigger in the file. */
interface Places {
  actor: Span;
  action: Span;
  /** @param span within the condition's text. */
  inCondition: (span: Span) => Span;
}

/** The file that is being read, and the faults that were found until now. */
export interface Reading {
  file: string;
  faults: Fault[];
  unreported: Unreported;
  /** Returns the condition of a trigger that has none; by default with a warning. */
  readAbsent?: (action: Action, node: YamlNode) => CheckedCondition;
}

/** A trigger as it is written, without the parts that only one kind of file has. */
interface WrittenTrigger {
  actor: string;
  action: Action;
  condition?: string;
  own?: boolean;
}

const bareKeys: ReadonlySet<string> = new Set(['actor', 'action', 'operator', 'value', 'own']);
const triggerKeys: ReadonlySet<string> = new Set([...bareKeys, 'condition']);

/** The condition that each contribution satisfies. */
export const always: Checked = { kind: 'and', terms: [], start: 0, end: 0 };

/**
 * Reads a trigger, and checks that its actor fits its action and that its condition is valid.
 * @param node the mapping with its keys.
 * @returns undefined when there is an error.
 */
export function readTrigger(
  trigger: WrittenTrigger,
  node: YamlNode,
  surroundings: Omit<Surroundings, 'action'>,
  { file, faults, unreported, readAbsent = withoutCondition }: Reading,
): Trigger | undefined {
  const actor = toActor(trigger.actor);
  const { action } = trigger;
  const isPair = actionsByActor[actor].includes(action);
  if (!isPair) faults.push(wrongPair(nodeAt(node, 'action'), actor, action));
  const conditionNode = nodeAt(node, 'condition');
  const inCondition =
    conditionNode.kind === 'scalar' ? placesInScalar(file, conditionNode) : (span: Span): Span => span;
  const text =
    trigger.condition === undefined || conditionNode.kind !== 'scalar' ? trigger.condition : conditionNode.text;
  const { condition, faults: found } =
    text === undefined ? readAbsent(action, node) : checkCondition(text, { ...surroundings, action });
  for (const fault of found) faults.push(text === undefined ? fault : { ...fault, ...inCondition(fault) });
  const { own } = trigger;
  if (own !== undefined && isPair && !canBeOwn({ actor, action })) {
    const message = `own has no effect on ${action} of ${actor}`;
    faults.push(newFault(nodeAt(node, 'own'), message, { severity: 'warning', expected: 'a review or comment' }));
  }
  const others = own === false ? { withoutOwn: true } : {};
  const read =
    isPair && condition !== undefined ? { actor, action, condition, ...others, text: text ?? '' } : undefined;
  const places = { actor: nodeAt(node, 'actor'), action: nodeAt(node, 'action'), inCondition };
  if (read !== undefined) faults.push(...warnOfUnreported(read, unreported, places));
  return read;
}

/** Checks what the well-formed keys of triggers mean where there are other errors, so that all are reported at once. */
export function checkTriggersAlone(
  triggers: YamlNode,
  surroundings: Omit<Surroundings, 'action'>,
  reading: Reading,
): void {
  if (triggers.kind !== 'sequence') return;
  for (const item of triggers.items.slice(0, maxTriggers)) {
    const place = nodeAt(item, 'trigger');
    const { actor = 'author', action = likelyAction(place), condition, own } = readKeys(TriggerParts, place);
    if (action === undefined || (action === 'point' && surroundings.isPointAction)) continue;
    if (condition === undefined && hasOtherKey(place, bareKeys)) continue;
    const written = { actor, action, ...(condition !== undefined && { condition }), ...(own !== undefined && { own }) };
    readTrigger(written, place, surroundings, reading);
  }
}

function hasOtherKey(node: YamlNode, keys: ReadonlySet<string>): boolean {
  return node.kind === 'mapping' && node.entries.some(({ key }) => !keys.has(key.toLowerCase()));
}

/** Returns the action that the author of a trigger probably meant, by which its condition is checked. */
export function likelyAction(node: YamlNode): Action | undefined {
  const place = nodeAt(node, 'action');
  const meant = place.kind === 'scalar' ? nearest(place.text, actions) : undefined;
  return actions.find((action) => action === meant);
}

function withoutCondition(action: Action, node: YamlNode): CheckedCondition {
  const expected = 'condition: count() >= 1';
  const place = toKeySpan(node);
  // Another key may be meant as the condition, and an achievement for everyone is worse than none.
  if (hasOtherKey(node, triggerKeys))
    return { condition: undefined, faults: [newFault(place, 'there is no condition', { expected })] };
  const message = `there is no condition, so that each ${action} counts`;
  return { condition: always, faults: [newFault(place, message, { severity: 'warning', expected })] };
}

/** Returns the place of the first key of a mapping, for faults about a key that is absent. */
function toKeySpan(node: YamlNode): Span {
  return node.kind === 'mapping' ? (node.entries[0]?.keySpan ?? node) : node;
}

function wrongPair(node: YamlNode, actor: Actor, action: Action): Fault {
  const others = actors.filter((actor) => actionsByActor[actor].includes(action));
  return newFault(node, `${actor} has no ${action}`, {
    expected: `${alternatives(actionsByActor[actor])} for ${actor}, or ${action} with the actor ${alternatives(others)}`,
  });
}

function toActor(name: string): Actor {
  const actor = actors.find((actor) => actor === name) ?? actorAliases[name];
  if (actor === undefined) throw new Error(`${name} is not an actor`);
  return actor;
}

/**
 * Returns a function that finds the place in the file of a range of a scalar's text. Folded lines, indentation and
 * escapes make the two differ; an escaped letter is found near its place. The places are found once for all ranges.
 */
function placesInScalar(file: string, scalar: YamlScalar): (span: Span) => Span {
  let found: number[] | undefined;
  return (span) => {
    found ??= findPlaces(file, scalar);
    const start = found[Math.min(span.start, found.length - 1)] ?? scalar.start;
    const last = found[Math.min(Math.max(span.start, span.end - 1), found.length - 1)] ?? start;
    return { start, end: Math.max(start, span.end > span.start ? last + 1 : start) };
  };
}

/** Returns the offset in the file of each UTF-16 unit of the text, and of its end. */
function findPlaces(file: string, scalar: YamlScalar): number[] {
  const places: number[] = [];
  const isEscape = file[scalar.start] === "'" && scalar.style === 'quoted' ? /[\s']/ : /[\s\\]/;
  let at = findBeginning(file, scalar);
  for (const unit of scalar.text.split('')) {
    if (isWhite(unit)) {
      places.push(Math.min(at, scalar.end));
      if (isWhite(file[at] ?? '') || scalar.style === 'plain') at += 1;
      continue;
    }
    // Between two characters of a text there are at most white space, line ends and the signs of an escape.
    let next = at;
    while (next < scalar.end && file[next] !== unit && isEscape.test(file[next] ?? '')) next += 1;
    if (file[next] === unit) at = next;
    places.push(Math.min(at, scalar.end));
    at += 1;
  }
  places.push(Math.min(at, scalar.end));
  return places;
}

/** Returns the offset at which the text begins: after the quote, or in the line below a block's `|` or `>`. */
function findBeginning(file: string, { start, end, style }: YamlScalar): number {
  if (style !== 'block') return style === 'quoted' ? start + 1 : start;
  const lineEnd = file.indexOf('\n', start);
  return lineEnd === -1 || lineEnd >= end ? start : lineEnd + 1;
}

function isWhite(unit: string): boolean {
  return /\s/.test(unit);
}

/** Returns a warning for each part of a trigger for which a host does not return all data. */
function warnOfUnreported(trigger: Trigger, { hosts, noun }: Unreported, places: Places): Fault[] {
  return hosts.flatMap((host) => warnOfHost(trigger, host, { ...places, noun }));
}

function warnOfHost(
  { actor, action, condition }: Trigger,
  { name: host, kinds: unreported }: UnreportedHost,
  { noun, ...places }: Places & Pick<Unreported, 'noun'>,
): Fault[] {
  if (action === 'point') return [];
  const warning = (place: Span, message: string): Fault =>
    newFault(place, host === undefined ? message : `${host}: ${message}`, { severity: 'warning' });
  const kinds = kindsOfAction[action];
  const about = unreported.filter(({ kind }) => kinds.includes(kind));
  const whole = about.filter(({ details }) => details === undefined);
  const isNever = kinds.every((kind) => whole.some((part) => part.kind === kind && part.isPartial === undefined));
  const faults = whole.map(({ why }) =>
    warning(places.action, isNever ? `${why}: this ${noun} never holds there` : why),
  );
  if (isNever) return faults;
  const reportDetail = (detail: keyof ContributionDetails | undefined, name: string, place: Span): void => {
    for (const { details, why, isPartial } of about) {
      if (detail === undefined || details?.includes(detail) !== true) continue;
      faults.push(warning(place, isPartial ? why : `${why}: ${name} is not known there`));
    }
  };
  reportDetail(detailOfActor[actor], actor, places.actor);
  for (const { field, span } of fieldsIn(condition)) {
    reportDetail(detailOfField[field], field, places.inCondition(span));
  }
  return faults;
}

function fieldsIn(condition: Checked): { field: Field; span: Span }[] {
  if ('terms' in condition) return condition.terms.flatMap(fieldsIn);
  if (condition.kind === 'count') return condition.condition === null ? [] : fieldsIn(condition.condition);
  if (condition.kind === 'reason' || condition.kind === 'state') return [{ field: condition.kind, span: condition }];
  return 'field' in condition ? [{ field: condition.field, span: condition }] : [];
}
