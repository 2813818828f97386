import type { Verdict } from './experiment.ts';

/** Formats the result of a run of mutations, grouped by the place in the response. */
export function formatReport(verdicts: readonly Verdict[]): string {
  const failed = verdicts.filter(({ isApplied, failures }) => isApplied && failures.length > 0);
  const unapplied = verdicts.filter(({ isApplied }) => !isApplied);
  // An id ends with `:change:number`.
  const groups = Map.groupBy(failed, ({ id }) => id.split(':').slice(0, -2).join(':'));
  const lines = [...groups]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([place, ofPlace]) => ['', place, ...describePlace(ofPlace)].join('\n'));
  const rules = Map.groupBy(
    failed.flatMap(({ failures }) => failures),
    ({ rule }) => rule,
  );
  return [
    ...lines,
    '',
    ...[...rules].map(([rule, failures]) => `${failures.length} × ${rule}`),
    `mutations: ${verdicts.length}; do harm: ${failed.length}, at places: ${groups.size}`,
    ...(unapplied.length > 0
      ? [
          `${unapplied.length} were never requested: ${unapplied
            .slice(0, 5)
            .map(({ id }) => id)
            .join(', ')}`,
        ]
      : []),
  ].join('\n');
}

/** Writes the same failure of several changes of a place as one line. */
function describePlace(verdicts: readonly Verdict[]): string[] {
  const changes = new Map<string, string[]>();
  for (const { id, failures } of verdicts) {
    const change = id.split(':').slice(-2).join(' #');
    for (const { rule, detail } of failures) {
      const line = `${rule}: ${detail}`;
      changes.set(line, [...(changes.get(line) ?? []), change]);
    }
  }
  return [...changes].map(([line, changed]) => `  ${line}  [${changed.join(', ')}]`);
}
