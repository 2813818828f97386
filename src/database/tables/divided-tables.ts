/**
 * The tables that are divided by repository; those that reads sum up come first. They refer to other tables without foreign
 * keys (docs/decisions/0064-tables-by-repository.md).
 */
export const dividedNames = [
  'repository_totals',
  'contributor_totals',
  'contribution_days',
  'contributions',
  'uncounted_commits',
  'commits',
  'repository_identities',
  'pending_details',
  'language_days',
  'language_sums',
] as const;

export type DividedTable = (typeof dividedNames)[number];

/** The columns of their primary keys without the repository. */
export const keysInRepository: Readonly<Record<DividedTable, readonly string[]>> = {
  repository_totals: [],
  contributor_totals: ['account_id'],
  contribution_days: ['account_id', 'day'],
  contributions: ['kind', 'external_id'],
  uncounted_commits: ['oid'],
  commits: ['oid'],
  repository_identities: ['identity_id'],
  pending_details: ['detail', 'key'],
  language_days: ['identity_id', 'day', 'language'],
  language_sums: ['identity_id', 'language'],
};

/** The columns that hold an account's id. Lists of ids are only in `contributions`. */
export const accountColumns: readonly { table: DividedTable; column: string }[] = [
  { table: 'contributor_totals', column: 'account_id' },
  { table: 'contribution_days', column: 'account_id' },
  { table: 'contributions', column: 'account_id' },
  { table: 'contributions', column: 'answered_by' },
  { table: 'contributions', column: 'resolved_by' },
  { table: 'contributions', column: 'merged_by' },
];
