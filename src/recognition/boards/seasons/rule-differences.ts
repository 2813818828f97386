/** A part of a rule that another version of a season has otherwise; null where a version has no such part. */
export interface RuleDifference {
  /** The place in the file, counted from 1 in lists: `points.1.points`. */
  rule: string;
  /** As JSON. */
  value: string | null;
  formerValue: string | null;
}

/** The most parts that are listed. */
const maxParts = 200;

/**
 * Returns how the rule of a version differs from the one of the version before. Patterns of repositories are left out where one
 * of the two counts private ones, because they may name these.
 */
export function compareRules(rule: object, former: object): RuleDifference[] {
  const isPrivate = [rule, former].some((stored) => 'private' in stored && stored.private === true);
  const [parts, formerParts] = [partsOf(rule), partsOf(former)];
  return [...new Set([...formerParts.keys(), ...parts.keys()])]
    .map((place) => ({
      rule: place,
      value: parts.get(place) ?? null,
      formerValue: formerParts.get(place) ?? null,
    }))
    .filter(
      ({ rule: place, value, formerValue }) => value !== formerValue && !(isPrivate && /^repositories\b/.test(place)),
    )
    .slice(0, maxParts);
}

/** Returns the values of a rule as JSON, by their places. */
function partsOf(rule: object): Map<string, string> {
  const parts = new Map<string, string>();
  const add = (place: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null) parts.set(place, JSON.stringify(value));
    else for (const [key, part] of entriesOf(value)) add(place === '' ? key : `${place}.${key}`, part);
  };
  add('', rule);
  return parts;
}

function entriesOf(value: object): [string, unknown][] {
  return Array.isArray(value) ? value.map((part, index) => [String(index + 1), part]) : Object.entries(value);
}
