/** Ids of hidden data in GitLab, for which the simulated world has no properties. */
export interface Hidden {
  /** Users with a private profile. */
  profiles: Set<number>;
  /** Accounts that an administrator blocked or banned. */
  blocked: Map<number, 'blocked' | 'banned'>;
  /** Visibility of groups that are not public. */
  groups: Map<number, 'internal' | 'private'>;
  /** Confidential issues, and internal notes: for members. */
  issues: Set<number>;
  notes: Set<number>;
  /** Parts of projects that are for members, or switched off. */
  parts: Map<
    number,
    Partial<Record<`${'issues' | 'merge_requests' | 'repository'}_access_level`, 'private' | 'disabled'>>
  >;
}

export function nothingHidden(): Hidden {
  return {
    profiles: new Set(),
    blocked: new Map(),
    groups: new Map(),
    issues: new Set(),
    notes: new Set(),
    parts: new Map(),
  };
}
