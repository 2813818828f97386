import { type TProperties, type TSchema, Type } from 'typebox';
import { toWindowMeaning, type Window, type WindowMeaning } from '../../model/windows/window.ts';

/** The types of items, by the number in `meta_data.data_type`. */
export const dataTypes = {
  unknown: 0,
  entity: 1,
  repository: 2,
  contributor: 3,
  token: 4,
  achievement: 5,
  key: 6,
  key_id: 7,
} as const;

/** The age and the completeness of the data in a response. */
export interface Provenance {
  /** The time of the last request to the provider, or up to which the data is known; null: there is none. */
  asOf: Date | null;
  /** Names of the parts that are not completely known. */
  missing: readonly string[];
  includesPrivate: boolean;
  /** How far collecting is; undefined where nothing is missing. */
  progress?: Progress | undefined;
  /** The window of time of the numbers; absent: lifetime. */
  window?: Pick<Window, 'since' | 'until' | 'timeZone'>;
  /** With a window, the origin of its numbers: contributions collected here, or the host's own numbers. */
  source?: Source;
  /** The number that the items of the response prove. */
  evidence?: Evidence;
  /** The number at a former moment, when the response lists the items that were added and removed since. */
  comparison?: Comparison;
}

/** The repositories behind a response that are completely read, and the reason why the others are not. */
export interface Progress extends Wait {
  repositories: { complete: number; total: number };
}

/**
 * `collecting`: the data is being read. It waits for the host's quota, for a host that does not respond, for one that
 * refuses access, or for the caller's own allowance of lookups.
 */
const waitReasons = ['collecting', 'quota', 'unreachable', 'refused', 'allowance'] as const;

/** The reason why data is not complete yet. */
export interface Wait {
  reason: (typeof waitReasons)[number];
  /** The time at which collecting continues; undefined while it runs, or where the time is not known. */
  resumesAt?: Date | undefined;
}

/** A number at a former moment, and the items that were added and removed since. */
export interface Comparison {
  at: Date;
  window?: Pick<Window, 'since' | 'until' | 'timeZone'>;
  /** The number at the former moment; null where it is the host's own. */
  total: number | null;
  /** Numbers of items by reason. */
  added: Readonly<Partial<Record<string, number>>>;
  removed: Readonly<Partial<Record<string, number>>>;
  /** False when some changes are missing, because more items changed at once than are kept. */
  isComplete: boolean;
}

/** A number, and the number of its items that are listed. */
export interface Evidence {
  total: number;
  itemised: number;
  /** The number of items that are not listed, by reason. */
  remainder: Readonly<Partial<Record<RemainderReason, number>>>;
  /** The page of the host that searches for the items; absent: the host has none. */
  hostSearch?: string | undefined;
}

const remainderReasons = ['host-total', 'private', 'erased-account', 'earned-once'] as const;
export type RemainderReason = (typeof remainderReasons)[number];

export const sources = ['collected', 'host'] as const;
export type Source = (typeof sources)[number];

export interface Envelope {
  meta_data: {
    count: number;
    data_type: number;
    as_of?: string;
    complete?: boolean;
    missing?: readonly string[];
    progress?: ReturnType<typeof toProgress>;
    includes_private?: boolean;
    window?: WindowMeaning;
    source?: Source;
    total?: number;
    itemised?: number;
    remainder?: Evidence['remainder'];
    host_search?: string;
    comparison?: object;
    board?: object;
    /** The parts of the points of a person on a board. */
    sum?: { total: number; itemised: number; granted: number; remainder: number };
  };
  data: readonly unknown[];
  previous_cursor?: string;
  next_cursor?: string;
}

/** Wraps a list of items in the envelope of every successful response. */
export function envelope(content: {
  dataType: keyof typeof dataTypes;
  data: readonly unknown[];
  provenance?: Provenance;
  /** The board that the items are of. */
  board?: object;
  /** For responses without `provenance`, whether they include private data. */
  includesPrivate?: boolean;
  previousCursor?: string | undefined;
  nextCursor?: string | undefined;
}): Envelope {
  const { data, provenance, previousCursor, nextCursor } = content;
  return {
    meta_data: {
      count: data.length,
      data_type: dataTypes[content.dataType],
      ...(provenance && {
        ...(provenance.asOf !== null && { as_of: formatTimestamp(provenance.asOf) }),
        complete: provenance.missing.length === 0,
        ...(provenance.missing.length > 0 && {
          missing: provenance.missing,
          ...(provenance.progress && { progress: toProgress(provenance.progress) }),
        }),
        includes_private: provenance.includesPrivate,
        ...(provenance.window && { window: toWindowMeaning(provenance.window) }),
        ...(provenance.source && { source: provenance.source }),
        ...(provenance.evidence && evidenceMembers(provenance.evidence)),
        ...(provenance.comparison && { comparison: toComparison(provenance.comparison) }),
      }),
      ...(content.board !== undefined && { board: content.board }),
      ...(content.includesPrivate !== undefined && { includes_private: content.includesPrivate }),
    },
    data,
    ...(previousCursor !== undefined && { previous_cursor: previousCursor }),
    ...(nextCursor !== undefined && { next_cursor: nextCursor }),
  };
}

/** Returns the progress of a response as it is sent. */
export function toProgress({ repositories, reason, resumesAt }: Progress): {
  repositories: Progress['repositories'];
  reason: Wait['reason'];
  resumes_dttm?: string;
} {
  const { complete, total } = repositories;
  return {
    repositories: { complete, total },
    reason,
    ...(resumesAt && { resumes_dttm: formatTimestamp(resumesAt) }),
  };
}

function evidenceMembers({ total, itemised, remainder, hostSearch }: Evidence): object {
  return { total, itemised, remainder, ...(hostSearch !== undefined && { host_search: hostSearch }) };
}

function toComparison({ at, window, total, added, removed, isComplete }: Comparison): object {
  return {
    compared_dttm: formatTimestamp(at),
    ...(window && { window: toWindowMeaning(window) }),
    total,
    added,
    removed,
    complete: isComplete,
  };
}

/** Wraps a single item. */
export function single<Data extends object>(
  dataType: keyof typeof dataTypes,
  data: Data,
): { meta_data: { count: 1; data_type: (typeof dataTypes)[keyof typeof dataTypes] }; data: Data } {
  return { meta_data: { count: 1, data_type: dataTypes[dataType] }, data };
}

/** Formats a time as `YYYY-MM-DDTHH:MM:SSZ`, like all times in responses. */
export function formatTimestamp(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** A time as responses show it. */
export function TimestampSchema(description?: string) {
  return Type.String({
    format: 'date-time',
    examples: ['2026-06-15T12:00:00Z'],
    ...(description !== undefined && { description }),
  });
}

/** A time, or null where there is none. */
export function OptionalTimestampSchema(description?: string) {
  return Type.Union([Type.Null(), TimestampSchema()], description === undefined ? {} : { description });
}

export function UuidSchema(description?: string) {
  return Type.String({
    format: 'uuid',
    examples: ['0198c0de-7b1e-7cc3-9d5a-3f2b1c0a9e8d'],
    ...(description !== undefined && { description }),
  });
}

const count = Type.Integer({ minimum: 0, description: 'Number of items in `data`.', examples: [1] });
const dataType = Type.Enum(Object.values(dataTypes), {
  type: 'integer',
  description: Object.entries(dataTypes)
    .map(([name, number]) => `${number} ${name}`)
    .join(', '),
});

const ItemMetadata = Type.Object({ count, data_type: dataType }, { title: 'ItemMetadata' });

/** Returns the JSON Schema of an envelope around a single item. The item's schema must have a title. */
export function SingleSchema(item: TSchema) {
  return Type.Object({ meta_data: ItemMetadata, data: item }, { title: `${readTitle(item)}Item` });
}

/** A window of time as instants. */
export const WindowSchema = Type.Object(
  {
    since: OptionalTimestampSchema('First instant; null: no beginning.'),
    until: OptionalTimestampSchema('First instant after the window; null: no end.'),
    time_zone: Type.String({ description: 'IANA name.', examples: ['Europe/Berlin'] }),
  },
  { title: 'Window', description: 'The window of time of the numbers. Absent: lifetime.' },
);

export const ProgressSchema = Type.Object(
  {
    repositories: Type.Object({
      complete: Type.Integer({ minimum: 0, description: 'Repositories that are completely read.', examples: [653] }),
      total: Type.Integer({ minimum: 0, description: 'Repositories that are listed.', examples: [3005] }),
    }),
    reason: Type.Enum([...waitReasons], {
      description:
        '`collecting`: the data is being read. It waits for the quota at the code host (`quota`), for a host that does not respond (`unreachable`) or that refuses access (`refused`), or for the lookups that the caller may still start (`allowance`).',
    }),
    resumes_dttm: Type.Optional(TimestampSchema('When collecting continues. Absent while it runs, or if not known.')),
  },
  { title: 'CollectingProgress', description: 'How far collecting is. Absent when `complete` is true.' },
);

const listMetadata = {
  count,
  data_type: dataType,
  as_of: Type.Optional(
    TimestampSchema(
      'Time of the last request to the provider. Boards: all installed repositories are known up to then; absent: not yet.',
    ),
  ),
  complete: Type.Optional(Type.Boolean({ description: 'False while something is still being collected.' })),
  missing: Type.Optional(
    Type.Array(Type.String(), { description: 'Names of the numbers that are incomplete.', examples: [['commits']] }),
  ),
  progress: Type.Optional(ProgressSchema),
  includes_private: Type.Optional(Type.Boolean({ description: 'Private data is counted or listed.' })),
  window: Type.Optional(WindowSchema),
  source: Type.Optional(
    Type.Enum([...sources], {
      description: 'Of the numbers of a window: contributions collected here, or the numbers of the host.',
    }),
  ),
  total: Type.Optional(Type.Integer({ description: 'Evidence: the number whose items are listed.' })),
  itemised: Type.Optional(Type.Integer({ description: 'Evidence: the number of items on all pages.' })),
  remainder: Type.Optional(
    Type.Object(Object.fromEntries(remainderReasons.map((reason) => [reason, Type.Optional(Type.Integer())])), {
      description:
        'Evidence: what `total` counts and no page lists, by reason. `host-total`: what the host counts and is not collected here. `earned-once`: points that rules with `count()` give for several contributions together.',
    }),
  ),
  host_search: Type.Optional(
    Type.String({ format: 'uri', description: 'Evidence: the page of the host that searches for the items.' }),
  ),
  comparison: Type.Optional(
    Type.Object(
      {
        compared_dttm: TimestampSchema('The former moment.'),
        window: Type.Optional(WindowSchema),
        total: Type.Union([Type.Null(), Type.Integer()], {
          description: 'The number then; null where it is the number of the host.',
        }),
        added: Type.Record(Type.String(), Type.Integer()),
        removed: Type.Record(Type.String(), Type.Integer()),
        complete: Type.Boolean({ description: 'False: more changed at once than is kept.' }),
      },
      {
        title: 'Comparison',
        description:
          'With `compare`: the number at a former moment, and what came and went since, by reason: `total` then, plus `added`, minus `removed` is `total` now.',
      },
    ),
  ),
};
const ListMetadata = Type.Object(listMetadata, { title: 'ListMetadata' });

/** Properties of `meta_data` that only one endpoint has. */
export interface ListDetails {
  title: string;
  properties: TProperties;
}

/** Returns the JSON Schema of an envelope around a list of items. Their schema must have a title. */
export function EnvelopeSchema(item: TSchema, details?: ListDetails) {
  return Type.Object(
    {
      meta_data:
        details === undefined
          ? ListMetadata
          : // They are absent while nothing is known yet.
            Type.Object(
              { ...listMetadata, ...Type.Partial(Type.Object(details.properties)).properties },
              { title: details.title },
            ),
      data: Type.Array(item),
      previous_cursor: Type.Optional(Type.String({ description: 'As `before`, it leads to the previous page.' })),
      next_cursor: Type.Optional(Type.String({ description: 'As `after`, it leads to the next page.' })),
    },
    { title: `${readTitle(item)}List` },
  );
}

/** The JSON Schema of an envelope without items, for data that is at another address. */
export const EmptySchema = Type.Object(
  { meta_data: ItemMetadata, data: Type.Array(Type.Unknown(), { maxItems: 0 }) },
  { title: 'EmptyList' },
);

function readTitle(schema: TSchema): string {
  const { title }: { title?: unknown } = schema;
  if (typeof title !== 'string') throw new Error('the items of an endpoint need a title, by which clients name them');
  return title;
}
