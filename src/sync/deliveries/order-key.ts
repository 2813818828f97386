import type { Change } from '../../hosts/interface/provider.ts';

/** The length at which keys are cut. An index entry holds a limited number of bytes, and names have no limit. */
const maxLength = 200;

/**
 * Returns the key of order of a delivery: deliveries with one key are applied in the order in which they arrived, those
 * with different keys at the same time. The key is the installation that the delivery is about, otherwise its
 * repository, otherwise its account.
 */
export function orderKeyOf({ provider, changes }: { provider: string; changes: readonly Change[] }): string {
  const subjects = changes.map(subjectOf).toSorted(({ rank: one }, { rank: other }) => one - other);
  return `${provider} ${subjects[0]?.subject ?? ''}`.slice(0, maxLength);
}

function subjectOf(change: Change): { rank: number; subject: string } {
  if (change.type === 'installation') return { rank: 0, subject: `installation ${change.credentialName}` };
  if ('repository' in change) return { rank: 1, subject: `repository ${change.repository}` };
  if (change.type === 'administrator') return { rank: 3, subject: `account ${change.person}` };
  return { rank: 2, subject: `account ${change.account ?? change.name}` };
}
