import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The statements that make the tables of an empty database. */
export interface Baseline {
  /** Names the statements: databases with another baseline have other tables. */
  name: string;
  statements: string;
}

const prefix = 'baseline-';
const hashDigits = 12;

/** Returns the baseline with these statements. */
export function toBaseline(statements: string): Baseline {
  const hash = createHash('sha256').update(statements).digest('hex').slice(0, hashDigits);
  return { name: `${prefix}${hash}`, statements };
}

export function isBaseline(name: string): boolean {
  return name.startsWith(prefix);
}

/** The baseline of this release. */
export const baseline = toBaseline(readFileSync(new URL('../baseline.sql', import.meta.url), 'utf8'));
