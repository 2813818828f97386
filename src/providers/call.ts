/** What a question to a provider cost. The provider's module adds to it. */
export interface Cost {
  requests: number;
  /** In the provider's own unit, where it has one. */
  points: number;
}

/** On whose behalf a provider is asked. */
export interface Call {
  /** Somebody waits for an interactive call; a background call never spends the last of the budget. */
  urgency: 'interactive' | 'background';
  signal: AbortSignal;
  cost: Cost;
  /** Name of the one credential that may be used; undefined: whichever has most left to spend. */
  access?: string;
}
