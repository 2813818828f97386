/** What requests to a host cost. The provider's module adds to it. */
export interface Cost {
  requests: number;
  /** In the host's own unit, where it has one. */
  points: number;
}

/** Part of a response that could not be read, or that the host refused. It holds no value of the response. */
export interface SkippedPart {
  /** `issue`, `review`, `repository`, `label`, ...: what the part is, or belongs to. */
  kind: string;
  reason: 'unreadable' | 'refused';
  /** Place in the response, `*` for a position in a list. */
  path: string;
  /** The host's own words for a refusal, where they hold no private data; else empty. */
  explanation: string;
  /** Whether the item is stored without the part; else the item itself is left out. */
  isStored: boolean;
  /** Whether the numbers of the kind are complete all the same. */
  isCounted: boolean;
}

/** The circumstances of requests to a host. */
export interface Call {
  /** A caller waits for an interactive call; a background call never spends the last of the quota. */
  urgency: 'interactive' | 'background';
  signal: AbortSignal;
  cost: Cost;
  /** Name of the one credential that may be used; undefined: the one with most quota left. */
  access?: string;
  /** Receives each part of a response that is skipped; undefined: skipped parts are not recorded. */
  onSkipped?: (part: SkippedPart) => void;
}
