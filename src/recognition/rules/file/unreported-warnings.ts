import type { UnreportedKind } from '../../../hosts/interface/provider.ts';
import type { ContributionDetails } from '../../../model/contribution.ts';
import { type Fault, newFault, type Span } from '../conditions/fault.ts';
import type { Checked } from '../conditions/terms.ts';
import type { Field } from '../conditions/vocabulary.ts';
import type { Trigger } from '../config.ts';
import { kindsOfAction } from '../kinds.ts';
import { detailOfActor, detailOfField } from './required-data.ts';

/** Data that is not reported, and how warnings of it are worded. */
export interface Unreported {
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

/** Returns a warning for each part of a trigger for which a host does not return all data. */
export function warnOfUnreported(trigger: Trigger, { hosts, noun }: Unreported, places: Places): Fault[] {
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
