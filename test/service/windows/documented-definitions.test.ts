import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { shareStoredService } from '../http/stored-service.ts';

interface Definition {
  id: string;
  counter: string;
  description: string;
}

interface Schema {
  enum?: string[];
  properties?: Record<string, Schema>;
}

const text = readFileSync(new URL('../../../docs/windows.md', import.meta.url), 'utf8');

/** Returns the cells of the first table below a text of the document. */
function tableBelow(start: string): string[][] {
  const [, below] = text.split(start);
  assert.ok(below, start);
  const [table = ''] = /^\|[^]*?(?=\n\n)/m.exec(below) ?? [];
  return table
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.replaceAll('\\|', '|')),
    );
}

/** Returns the names in backticks of the first column. */
function namesBelow(start: string): string[] {
  return tableBelow(start).flatMap(([first = '']) => [...first.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

describe('the document about windows and evidence', () => {
  const shared = shareStoredService();

  it('defines each number in the words of the API', async () => {
    const { data, meta_data: meta } = JSON.parse((await shared.service.get('/v1/definitions')).text) as {
      data: Definition[];
      meta_data: object;
    };
    assert.deepEqual(meta, { count: data.length, data_type: 0 });
    assert.deepEqual(
      tableBelow('\n## Definitions\n'),
      data.map(({ id, counter, description }) => [`\`${id}\``, `\`${counter}\``, description]),
    );
  });

  it('explains each reason that the API gives, and no other', async () => {
    const { components } = JSON.parse((await shared.service.get('/openapi.json')).text) as {
      components: { schemas: Record<string, Schema> };
    };
    const { EvidenceItem: item, ListMetadata: meta } = components.schemas;
    const documented = [...namesBelow('\n### What does not count\n'), ...namesBelow('\n### What changed\n')];
    assert.deepEqual(new Set(documented), new Set(item?.properties?.['reason']?.enum));
    assert.deepEqual(
      namesBelow('counts the rest by reason.').toSorted(),
      Object.keys(meta?.properties?.['remainder']?.properties ?? {}).toSorted(),
    );
  });

  it('names no counter that the API does not have', async () => {
    const { data } = JSON.parse((await shared.service.get('/v1/definitions')).text) as { data: Definition[] };
    const [, above = ''] = /^([^]*?)\n## Definitions/.exec(text) ?? [];
    const counters = new Set(data.map(({ counter }) => counter));
    for (const [, name = ''] of above.matchAll(
      /`((?:issues|pull_requests|discussions|contributed)_\w+|stars|reviews)`/g,
    ))
      assert.ok(counters.has(name), name);
  });
});
