/** What was stored was not what the provider has. */
export interface Drift {
  provider: string;
  /** Ours: whether a name may be told depends on who asks. */
  repositoryId: string;
  /** Name of the stream, or `sums` for what was counted wrong from what is stored. */
  what: string;
  /** What the provider has, and what was stored; of sums, how many were wrong. */
  expected: number;
  found: number;
  isRepaired: boolean;
}
