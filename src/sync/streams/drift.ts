/** A difference between stored data and the provider's. */
export interface Drift {
  provider: string;
  /** Our id of the repository, because not every reader may see its name. */
  repositoryId: string;
  /** The name of the stream, or `sums` for totals that did not agree with the stored contributions. */
  part: string;
  /**
   * The number of items at the provider, and in `found` the stored number. For `sums`, `found` is the number of wrong
   * totals.
   */
  expected: number;
  found: number;
  isRepaired: boolean;
}
