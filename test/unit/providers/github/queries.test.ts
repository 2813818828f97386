import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse, specifiedRules, validate } from 'graphql';
import { schema } from '../../../../simulators/github/graphql/schema.ts';
import { accountQueryText, allTotals } from '../../../../src/hosts/github/account-query.ts';
import { commitAuthors } from '../../../../src/hosts/github/identities.ts';
import * as queries from '../../../../src/hosts/github/queries.ts';
import { changedFiles, lineCounts } from '../../../../src/hosts/github/streams/items.ts';
import { allYears } from '../../../../src/hosts/github/year-slices.ts';

function faults(text: string): string[] {
  return validate(schema, parse(text), specifiedRules, { maxErrors: 10 }).map(({ message }) => message);
}

describe('queries of GitHub', () => {
  it('uses only queries that are valid in the schema of GitHub', () => {
    const texts = Object.values(queries).flatMap((query) => (typeof query === 'object' ? [query.text] : []));
    assert.ok(texts.length >= 7);
    const built = [commitAuthors, lineCounts, changedFiles].flatMap((make) => [
      make(1).text,
      make(50).text,
      make(100).text,
    ]);
    for (const text of [...texts, ...built]) assert.deepEqual(faults(text), []);
  });

  it('builds a valid query for an account with any requested data', () => {
    const spans = allYears(new Date('2026-11-21T00:00:00Z'));
    const light = spans.map(({ from, to }) => ({ from, to, isLight: true as const }));
    for (const handle of [undefined, 'U_1']) {
      const target = { name: 'ada', handle, counting: 'public' } as const;
      for (const totals of [allTotals, allTotals.slice(0, 2), []]) {
        for (const withPublicCounts of totals.length > 0 ? [true, false] : [false]) {
          for (const requestedSpans of [spans, spans.slice(0, 1), light, []]) {
            const text = accountQueryText(target, { totals, withPublicCounts, spans: requestedSpans });
            assert.deepEqual(faults(text), [], text);
          }
        }
      }
    }
  });

  it('reports an invalid query', () => {
    assert.notDeepEqual(faults(queries.issues.text.replace('closedAt', 'closedWhen')), []);
  });
});
