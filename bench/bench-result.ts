/** A claim about speed, measured against a baseline that any reader can measure. */
export interface BenchResult {
  name: string;
  /** Our result divided by the baseline's, from one run on one machine. */
  ratio: number;
  /** The required ratio, such as `>=0.8`. */
  goal: string;
  /** The description of the baseline. */
  baseline: string;
  /** True when the ratio is of blocks that the database looks at: they hardly differ between runs, so a missed goal fails. */
  isOfBlocks?: boolean;
  /** Further numbers of the run, for people. */
  detail?: string;
}
