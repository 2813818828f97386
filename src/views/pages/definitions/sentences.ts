import type { CounterName } from '../../../model/kinds.ts';

/**
 * The sentences of `src/model/rules.ts` that pages show, in another language than English. Examples, names of
 * addresses and details that only programs need are left out.
 */
export interface Sentences {
  /** Counters of one person. */
  ofPerson: Readonly<Record<CounterName, string>>;
  /** Counters of the items of all people in repositories. */
  ofAll: Readonly<Record<CounterName, string>>;
  /** Commits that name a person as co-author. */
  coAuthored: string;
  contributions: string;
  experience: string;
  level: string;
  days: string;
  languages: string;
  points: string;
  change: string;
  holders: string;
  progress: string;
}
