import { type TObject, Type } from 'typebox';
import type { RouteServices } from '../../accounts/resolve.ts';
import type { Repositories } from '../../hosts/interface/provider.ts';
import { toCsv } from '../../http/pipeline/csv.ts';
import type { HandlerResult, ResolvedAccount } from '../../http/pipeline/endpoint.ts';
import { type Evidence, envelope, formatTimestamp, TimestampSchema } from '../../http/pipeline/envelope.ts';
import { neighbourCursors } from '../../http/pipeline/pagination.ts';
import { remainderText } from '../../http/pipeline/response.ts';
import { coAuthored, findRuleId, rules } from '../../model/rules.ts';
import { additionReasons, removalReasons } from './comparison-store.ts';
import type { ListedItem, LoadedEvidence } from './evidence.ts';
import { exclusionReasons } from './excluded-store.ts';

/** An item behind a number. */
export const EvidenceItem = Type.Object(
  {
    kind: Type.String({ examples: ['pull_request'] }),
    repository: Type.String({ description: 'Owner and name.', examples: ['octocat/hello-world'] }),
    number: Type.Union([Type.Null(), Type.Integer()], {
      description: 'Of an issue, pull request or discussion, where it is known.',
    }),
    oid: Type.Union([Type.Null(), Type.String()], { description: 'Of a commit.' }),
    title: Type.String({ description: 'Empty where it is not known.', examples: ['Fix the parser'] }),
    url: Type.String({ format: 'uri', description: 'Page of the item at the host, or of its repository.' }),
    occurred_dttm: TimestampSchema('When it counted; of a star the day.'),
    rule: Type.String({ description: 'Id of the rule in `/v1/definitions`.', examples: [rules[0]?.id ?? ''] }),
    assisted: Type.Union([Type.Null(), Type.Boolean()], {
      description:
        'True: the message of the commit names a program that helped to write it. Null: not known, or no commit.',
    }),
    address: Type.Optional(
      Type.String({
        description: 'With `excluded=true`, for the owner alone: the address of a commit without an account.',
      }),
    ),
    change: Type.Optional(Type.Enum(['added', 'removed'], { description: 'With `compare`: the item came, or went.' })),
    reason: Type.Optional(
      Type.Enum([...new Set([...exclusionReasons, ...additionReasons, ...removalReasons])], {
        description: 'With `excluded=true`: why the item does not count. With `compare`: why it came or went.',
      }),
    ),
  },
  { title: 'EvidenceItem' },
);

/** A commit behind the number of a language. */
export const LanguageEvidenceItem = Type.Object(
  {
    ...EvidenceItem.properties,
    files: Type.Integer({
      description: 'Changed files of the language, once for each author and co-author of the commit that counts.',
      examples: [3],
    }),
  },
  { title: 'LanguageEvidenceItem' },
);

/** A contribution behind the progress to an award. */
export const ProgressEvidenceItem = Type.Object(
  {
    ...EvidenceItem.properties,
    amount: Type.Integer({
      description: 'The part of the number that the item adds: 1, or its points.',
      examples: [1],
    }),
  },
  { title: 'ProgressEvidenceItem' },
);

const listing = 'evidence';
export const evidenceListing = { name: listing, defaultLimit: 30 };

/** Returns a page of evidence as JSON, or as CSV with the members of its items as columns. */
export function presentEvidence(
  { cursors, resolver }: Pick<RouteServices, 'cursors' | 'resolver'>,
  loaded: LoadedEvidence,
  { provider, isOwner }: Pick<ResolvedAccount, 'provider' | 'isOwner'>,
  format: 'json' | 'csv' | undefined,
  { properties }: TObject = EvidenceItem,
): HandlerResult {
  const { page, evidence, comparison, listKey, window, asOf, missing, progress, includesPrivate } = loaded;
  const data = page.map((item) => toItem(item, provider.repositories));
  return {
    envelope: envelope({
      dataType: 'unknown',
      data,
      provenance: {
        asOf,
        missing,
        progress,
        includesPrivate,
        ...(window && { window }),
        source: 'collected',
        ...(evidence && { evidence }),
        ...(comparison && { comparison }),
      },
      ...neighbourCursors(loaded, ({ at, kind, repositoryId, id }) =>
        cursors.write(listing, [...listKey, at, kind, repositoryId, id]),
      ),
    }),
    staleAt: resolver.staleAt(asOf),
    ...(format === 'csv' && { csv: toTable(Object.keys(properties), data, evidence) }),
    // Items may be in repositories of other accounts, whose changes do not invalidate this response.
    isCacheable: false,
    ...((includesPrivate || isOwner) && { isWithdrawable: true }),
  };
}

/**
 * Returns items as CSV. Each row ends with the number that they prove, because CSV has no comments and a saved file has no
 * headers; lists of other items prove none.
 */
function toTable(
  columns: readonly string[],
  data: readonly ReturnType<typeof toItem>[],
  evidence: Evidence | undefined,
): string {
  if (evidence === undefined) return toCsv(columns, data);
  const { total, itemised, remainder } = evidence;
  const proof = { total, itemised, remainder: remainderText(remainder) };
  return toCsv(
    [...columns, ...Object.keys(proof)],
    data.map((item) => ({ ...item, ...proof })),
  );
}

const pages = {
  issue: 'issue',
  pull_request: 'pull_request',
  review: 'pull_request',
  issue_comment: 'issue',
  pull_request_comment: 'pull_request',
  review_comment: 'pull_request',
  discussion: 'discussion',
} as const;

function toItem(
  item: ListedItem,
  repositories: Pick<Repositories, 'toPageUrl'>,
): Record<string, string | number | boolean | null> {
  const { kind, owner, repository, number, oid, title, at, isAssisted, files, amount } = item;
  const page = Object.entries(pages).find(([one]) => one === kind)?.[1];
  const address =
    oid !== null
      ? ({ kind: 'commit', oid } as const)
      : page !== undefined && number !== null
        ? { kind: page, number }
        : undefined;
  return {
    kind,
    repository: `${owner}/${repository}`,
    number,
    oid,
    title,
    url: repositories.toPageUrl(owner, repository, address),
    occurred_dttm: formatTimestamp(new Date(Math.floor(at / 1000))),
    assisted: isAssisted,
    ...(files !== undefined && { files }),
    ...(amount !== undefined && { amount }),
    ...('address' in item && item.address !== null && { address: item.address }),
    ...('change' in item && { change: item.change }),
    ...('reason' in item && { reason: item.reason }),
    rule: item.isCoAuthored ? coAuthored : findRuleId(item.counter),
  };
}
