import { listTexts, type Snapshot, toText } from './snapshot.ts';

/**
 * Returns the keys of all rows that change when items change: of the items, of their children, and of the sums that count them.
 * @param options.owners accounts and repositories whose repositories and contributions are affected as well.
 */
export function dependents(
  baseline: Snapshot,
  items: ReadonlySet<string>,
  { owners = new Set() }: { owners?: ReadonlySet<string> } = {},
): Set<string> {
  const affected = new Set(items);
  addOwned(baseline, owners, affected);
  addChildren(baseline, affected);
  for (const key of affected) {
    for (const email of listTexts(baseline.rows.get(key), 'people')) affected.add(`identity ${email}`);
  }
  const accounts = listAccounts(baseline, affected);
  const repositories = new Set(
    [...affected].flatMap((key) =>
      key.startsWith('account ') || key.startsWith('identity ') ? [] : [key.split(' ')[1]],
    ),
  );
  for (const id of repositories) {
    for (const owner of listTexts(baseline.rows.get(`repository ${id}`), 'owner')) accounts.add(owner);
  }
  for (const [key, row] of baseline.rows) {
    const [kind, first = '', second = ''] = key.split(' ');
    const isSum = kind === 'totals' ? repositories.has(first) : isSumOf(kind, { first, second }, accounts);
    const account = kind === 'identity' ? toText(row, 'account') : toText(row, 'account_external_id');
    if (isSum || accounts.has(account)) affected.add(key);
  }
  return affected;
}

function isSumOf(
  kind: string | undefined,
  { first, second }: { first: string; second: string },
  accounts: ReadonlySet<string>,
): boolean {
  if (kind === 'contributor' || kind === 'day') return accounts.has(second);
  return ['account', 'counters', 'reported', 'calendar'].includes(kind ?? '') && accounts.has(first);
}

/** Adds the repositories of accounts, and everything that belongs to repositories. */
function addOwned({ rows }: Snapshot, owners: ReadonlySet<string>, affected: Set<string>): void {
  const repositories = new Set([...owners].filter((key) => key.startsWith('repository ')));
  for (const [key, row] of rows) {
    if (key.startsWith('repository ') && owners.has(`account ${toText(row, 'owner')}`)) repositories.add(key);
  }
  for (const key of repositories) affected.add(key);
  for (const key of rows.keys()) {
    const [kind = '', first] = key.split(' ');
    const isWithin = ['stream', 'contribution', 'commit', 'totals', 'contributor', 'day', 'pending'].includes(kind);
    if (isWithin && repositories.has(`repository ${first}`)) affected.add(key);
  }
}

/**
 * Adds comments and reviews of affected items, and the parents of affected items, because a parent names its reviewers.
 */
function addChildren({ rows }: Snapshot, affected: Set<string>): void {
  const affectedBefore = new Set(affected);
  const reviews = new Set(
    [...affectedBefore]
      .filter((key) => key.split(' ')[2] === 'review')
      .map((key) => {
        const row = rows.get(key);
        return `${key.split(' ')[1]} ${toText(row, 'parent_external_id')} ${toText(row, 'author')}`;
      }),
  );
  for (const [key, row] of rows) {
    const [kind, repository, item] = key.split(' ');
    const parent = toText(row, 'parent_external_id');
    if (kind !== 'contribution' || parent === '') continue;
    const parents = ['issue', 'pull_request', 'discussion'].map(
      (kind) => `contribution ${repository} ${kind} ${parent}`,
    );
    if (parents.some((parent) => affectedBefore.has(parent))) affected.add(key);
    // Gitea lists the comments of a review below the review, which names its author.
    if (item === 'review_comment' && reviews.has(`${repository} ${parent} ${toText(row, 'author')}`)) affected.add(key);
    if (affectedBefore.has(key)) for (const parentKey of parents) if (rows.has(parentKey)) affected.add(parentKey);
  }
}

const personColumns = ['author', 'answered_by', 'resolved_by', 'assignees', 'reviewers', 'reactors', 'account'];

/** Returns the ids of all accounts that are affected, or that affected rows name. */
function listAccounts({ rows }: Snapshot, affected: ReadonlySet<string>): Set<string> {
  const accounts = new Set<string>();
  for (const key of affected) {
    if (key.startsWith('account ')) accounts.add(key.slice('account '.length));
    if (key.startsWith('contributor ')) accounts.add(key.split(' ')[2] ?? '');
    const row = rows.get(key);
    for (const id of personColumns.flatMap((column) => listTexts(row, column))) accounts.add(id);
    for (const email of listTexts(row, 'people')) {
      for (const id of listTexts(rows.get(`identity ${email}`), 'account')) accounts.add(id);
    }
  }
  return accounts;
}
