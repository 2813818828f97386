import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { envelope, type Wait } from '../../../src/http/pipeline/envelope.ts';
import { renderResponse } from '../../../src/http/pipeline/response.ts';

const now = new Date('2026-06-01T12:00:00Z');

function headersFor(wait: Wait): Record<string, string> {
  const progress = { repositories: { complete: 1, total: 3 }, ...wait };
  const provenance = { asOf: now, missing: ['commits'], progress, includesPrivate: false };
  const content = { envelope: envelope({ dataType: 'entity', data: [], provenance }), audience: 'public' } as const;
  return renderResponse({ ...content, accountId: 'ada', now, staleAt: new Date(now.getTime() + 3_600_000) }).headers;
}

const after = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);

describe('incomplete responses', () => {
  it('are cached for seconds while their data is being read', () => {
    const { 'cache-control': control, 'retry-after': retry } = headersFor({ reason: 'collecting' });
    assert.deepEqual([control, retry], ['public, max-age=5', undefined]);
  });

  it('are cached until their data is read on, at most for five minutes', () => {
    for (const [waitS, maxAgeS] of [
      [2, 5],
      [90, 90],
      [3600, 300],
    ] as const) {
      const headers = headersFor({ reason: 'quota', resumesAt: after(waitS) });
      assert.equal(headers['cache-control'], `public, max-age=${maxAgeS}`);
      assert.equal(headers['retry-after'], String(waitS));
    }
  });
});
