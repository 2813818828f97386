/** One claim about speed, measured against something that everybody can measure. */
export interface BenchResult {
  name: string;
  /** Ours by the baseline's, from one run on one machine. */
  ratio: number;
  /** What the ratio has to be, as `>=0.8`. */
  goal: string;
  /** What is compared with, in words. */
  baseline: string;
  /** Further numbers of the run, for people. */
  detail?: string;
}
