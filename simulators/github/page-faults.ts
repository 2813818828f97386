import type { Fault, FaultKind } from './faults.ts';

type Json = Record<string, unknown>;

/** Changes the body of a response as a fault says; other faults leave it unchanged. */
export function distort(body: unknown, fault: Fault | undefined): unknown {
  if (fault === undefined) return body;
  const copy: unknown = structuredClone(body);
  const distortions: Partial<Record<FaultKind, () => void>> = {
    lost_page: () =>
      forEachPage(copy, (page) => {
        page['nodes'] = [];
        page['pageInfo'] = { hasNextPage: false, endCursor: null };
      }),
    reordered: () =>
      forEachPage(copy, (page, nodes) => {
        page['nodes'] = nodes.toReversed();
      }),
    repeated: () =>
      forEachPage(copy, (page, nodes) => {
        page['nodes'] = [...nodes, ...nodes.slice(0, 1)];
      }),
    surprise: () => replaceAt(copy, fault.path ?? [], fault.value ?? null),
    somebody_else: () => renameAll(copy),
  };
  distortions[fault.kind]?.();
  return copy;
}

function forEachPage(part: unknown, change: (page: Json, nodes: unknown[]) => void): void {
  if (typeof part !== 'object' || part === null) return;
  const page = part as Json;
  const { nodes } = page;
  if (Array.isArray(nodes) && 'pageInfo' in page) change(page, nodes);
  else for (const value of Object.values(page)) forEachPage(value, change);
}

function replaceAt(part: unknown, path: readonly (string | number)[], value: unknown): void {
  const [key, ...rest] = path;
  if (key === undefined || typeof part !== 'object' || part === null) return;
  const holder = part as Json;
  if (rest.length === 0) holder[key] = value;
  else replaceAt(holder[key], rest, value);
}

/** Replaces the ids and names of accounts by those of another account. */
function renameAll(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  const holder = part as Json;
  if (typeof holder['login'] === 'string') {
    holder['login'] = 'somebody-else';
    if ('databaseId' in holder) holder['databaseId'] = 1;
    if (typeof holder['id'] === 'number') holder['id'] = 1;
    else if ('id' in holder) holder['id'] = 'U_somebody_else';
  }
  for (const value of Object.values(holder)) renameAll(value);
}
