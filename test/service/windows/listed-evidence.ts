import assert from 'node:assert/strict';
import type { SharedService } from '../../e2e/shared-service.ts';

export interface Item {
  kind: string;
  repository: string;
  oid: string | null;
  number: number | null;
  title: string;
  reason?: string;
  address?: string;
  url: string;
  occurred_dttm: string;
  rule: string;
  assisted: boolean | null;
}

export interface Listed {
  meta_data: { total: number; itemised: number; remainder: Record<string, number>; missing?: string[] };
  data: Item[];
  next_cursor?: string;
  previous_cursor?: string;
}

export interface ReadEvidence {
  items: Item[];
  first: Listed;
}

/** Returns functions that read evidence of a service: one page, or all pages. */
export function toEvidence(shared: SharedService) {
  const get = async (path: string, init?: RequestInit): Promise<Listed> => {
    const { status, text } = await shared.service.get(path, init);
    assert.equal(status, 200, text);
    return JSON.parse(text) as Listed;
  };
  const readAll = async (path: string, init?: RequestInit): Promise<ReadEvidence> => {
    const items: Item[] = [];
    let first: Listed | undefined;
    let cursor: string | undefined;
    for (let pages = 0; pages < 200; pages += 1) {
      const page = await get(`${path}${cursor === undefined ? '' : `&after=${cursor}`}`, init);
      first ??= page;
      items.push(...page.data);
      cursor = page.next_cursor;
      if (cursor === undefined) return { items, first };
    }
    return assert.fail(`${path} has no end`);
  };
  return { get, readAll };
}

/** Checks that items and remainder are the number, that no item is there twice, and that they are in order. */
export function checkSum(path: string, { items, first }: ReadEvidence): void {
  const { total, itemised, remainder } = first.meta_data;
  const rest = Object.values(remainder).reduce((sum, count) => sum + count, 0);
  assert.equal(items.length, itemised, `${path}: ${JSON.stringify(first.meta_data)}`);
  assert.equal(itemised + rest, total, path);
  const keys = items.filter(({ kind }) => kind !== 'review').map((item) => JSON.stringify(item));
  if (!path.includes('/stars')) assert.equal(new Set(keys).size, keys.length, path);
  const times = items.map((item) => item.occurred_dttm);
  assert.deepEqual(times, times.toSorted().toReversed(), path);
}
