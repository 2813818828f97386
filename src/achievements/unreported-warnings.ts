import type { ContributionDetails } from '../contributions/contribution.ts';
import type { UnreportedKind } from '../providers/unreported.ts';
import { kindsOfAction } from './awards/kinds.ts';
import type { Checked } from './conditions/checked.ts';
import { type Fault, newFault, type Span } from './conditions/fault.ts';
import type { Field } from './conditions/vocabulary.ts';
import type { Trigger } from './config.ts';
import { detailOfActor, detailOfField } from './required-data.ts';

/** The places of the parts of a trigger in the file. */
interface Places {
  actor: Span;
  action: Span;
  /** @param span within the condition's text. */
  inCondition: (span: Span) => Span;
}

/** Returns a warning for each part of a trigger for which the host does not return all data. */
export function warnOfUnreported(
  { actor, action, condition }: Trigger,
  unreported: readonly UnreportedKind[],
  places: Places,
): Fault[] {
  if (action === 'point') return [];
  const kinds = kindsOfAction[action];
  const about = unreported.filter(({ kind }) => kinds.includes(kind));
  const whole = about.filter(({ details }) => details === undefined);
  const isNever = kinds.every((kind) => whole.some((part) => part.kind === kind && part.isPartial === undefined));
  const faults = whole.map(({ why }) =>
    warning(places.action, isNever ? `${why}: this trigger never holds there` : why),
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

function warning(place: Span, message: string): Fault {
  return newFault(place, message, { severity: 'warning' });
}

function fieldsIn(condition: Checked): { field: Field; span: Span }[] {
  if ('terms' in condition) return condition.terms.flatMap(fieldsIn);
  if (condition.kind === 'count') return condition.condition === null ? [] : fieldsIn(condition.condition);
  if (condition.kind === 'reason') return [{ field: 'reason', span: condition }];
  return 'field' in condition ? [{ field: condition.field, span: condition }] : [];
}
