import { Type } from 'typebox';
import type { LineCounts } from '../../../model/contribution.ts';
import { orElse } from '../../http/tolerant.ts';
import type { Call, KnownRepository } from '../../interface/provider.ts';
import { existing } from '../checks.ts';
import type { GitHubClient, Query } from '../client.ts';
import { TooHeavy } from '../failures.ts';
import { Count, Nullable, page, Text } from '../payloads.ts';
import { moreFiles } from '../queries.ts';

/** GitHub shows at most 3,000 files of a pull request. */
const maxFilePages = 30;

const byAlias = <Schema extends Parameters<typeof Nullable>[0]>(content: Schema) =>
  Type.Object({
    repository: Nullable(Type.Record(Type.String({ pattern: '^i\\d+$' }), orElse(Nullable(content), null))),
  });

const LineCountsPayload = byAlias(
  Type.Partial(Type.Object({ additions: Count, deletions: Count, changedFilesIfAvailable: Nullable(Count) })),
);
const ChangedFilesPayload = byAlias(
  Type.Object({ id: Text, files: Nullable(page('file', Type.Object({ path: Text }))) }),
);

/** Reads line counts by commit id, of many commits in one request. Leaves out commits that GitHub does not show. */
export async function readLineCounts(
  client: GitHubClient,
  repository: KnownRepository,
  oids: readonly string[],
  call: Call,
): Promise<Map<string, LineCounts>> {
  const found = new Map<string, LineCounts>();
  await inHalves(oids, async (batch) => {
    const { data } = await client.graphql(lineCounts(batch.length), variables(repository, batch), call);
    for (const [index, oid] of batch.entries()) {
      const commit = data.repository?.[`i${index}`];
      if (commit?.additions === undefined || commit.deletions === undefined) continue;
      const { additions, deletions, changedFilesIfAvailable: changedFiles = null } = commit;
      found.set(oid, { additions, deletions, changedFiles });
    }
  });
  return found;
}

/** Reads the paths that pull requests change by number, of many pull requests in one request. */
export async function readChangedFiles(
  client: GitHubClient,
  repository: KnownRepository,
  numbers: readonly string[],
  call: Call,
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  await inHalves(numbers, async (batch) => {
    const { data } = await client.graphql(changedFiles(batch.length), variables(repository, batch.map(Number)), call);
    for (const [index, number] of batch.entries()) {
      const pull = data.repository?.[`i${index}`];
      if (!pull?.files) continue;
      const paths = pull.files.nodes.map(({ path }) => path);
      let { pageInfo } = pull.files;
      for (let pages = 1; pageInfo.hasNextPage && pages < maxFilePages; pages += 1) {
        const more = await client.graphql(moreFiles, { id: pull.id, after: pageInfo.endCursor }, call);
        const { files } = existing(more.data.node);
        paths.push(...(files?.nodes ?? []).map(({ path }) => path));
        pageInfo = files?.pageInfo ?? { hasNextPage: false, endCursor: null };
      }
      found.set(number, paths);
    }
  });
  return found;
}

/** Sends a request for all keys, and for halves of them as long as GitHub cannot compute the response. */
async function inHalves(keys: readonly string[], send: (keys: readonly string[]) => Promise<void>): Promise<void> {
  try {
    await send(keys);
  } catch (error) {
    if (!(error instanceof TooHeavy) || keys.length <= 1) throw error;
    const half = Math.ceil(keys.length / 2);
    await inHalves(keys.slice(0, half), send);
    await inHalves(keys.slice(half), send);
  }
}

function variables({ owner, name }: KnownRepository, keys: readonly (string | number)[]): Record<string, unknown> {
  return { owner, name, ...Object.fromEntries(keys.map((key, index) => [`k${index}`, key])) };
}

export function lineCounts(count: number): Query<typeof LineCountsPayload> {
  const text = aliased('LineCounts', 'GitObjectID!', count, linesField);
  return { name: 'LineCounts', schema: LineCountsPayload, text };
}

export function changedFiles(count: number): Query<typeof ChangedFilesPayload> {
  return {
    name: 'ChangedFiles',
    schema: ChangedFilesPayload,
    text: aliased('ChangedFiles', 'Int!', count, filesField),
  };
}

function linesField(index: number): string {
  return `i${index}: object(oid: $k${index}) { ... on Commit { additions deletions changedFilesIfAvailable } }`;
}

function filesField(index: number): string {
  const files = 'files(first: 100) { pageInfo { hasNextPage endCursor } nodes { path } }';
  return `i${index}: pullRequest(number: $k${index}) { id ${files} }`;
}

function aliased(name: string, type: string, count: number, field: (index: number) => string): string {
  const indexes = Array.from({ length: count }, (_, index) => index);
  return [
    `query ${name}($owner: String!, $name: String!, ${indexes.map((index) => `$k${index}: ${type}`).join(', ')}) {`,
    '  repository(owner: $owner, name: $name) {',
    ...indexes.map((index) => `    ${field(index)}`),
    '  }',
    '  rateLimit { cost }',
    '}',
  ].join('\n');
}
