import { type TSchema, Type } from 'typebox';

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
  /** The time of the last request to the provider. */
  asOf: Date;
  /** Names of the parts that are not completely known. */
  missing: readonly string[];
  includesPrivate: boolean;
}

export interface Envelope {
  meta_data: {
    count: number;
    data_type: number;
    as_of?: string;
    complete?: boolean;
    missing?: readonly string[];
    includes_private?: boolean;
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
  /** Set for responses without other provenance. */
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
        as_of: formatTimestamp(provenance.asOf),
        complete: provenance.missing.length === 0,
        ...(provenance.missing.length > 0 && { missing: provenance.missing }),
        includes_private: provenance.includesPrivate,
      }),
      ...(content.includesPrivate !== undefined && { includes_private: content.includesPrivate }),
    },
    data,
    ...(previousCursor !== undefined && { previous_cursor: previousCursor }),
    ...(nextCursor !== undefined && { next_cursor: nextCursor }),
  };
}

/** Wraps a single item. */
export function single(dataType: keyof typeof dataTypes, data: object): object {
  return { meta_data: { count: 1, data_type: dataTypes[dataType] }, data };
}

/** Formats a time as `YYYY-MM-DDTHH:MM:SSZ`, like all times in responses. */
export function formatTimestamp(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** Returns the JSON Schema of an envelope around a single item. */
export function SingleSchema(item: TSchema) {
  return Type.Object({ meta_data: Type.Object({ count: Type.Integer(), data_type: Type.Integer() }), data: item });
}

const Timestamp = Type.String({ format: 'date-time' });

/** Returns the JSON Schema of an envelope around a list of items. */
export function EnvelopeSchema(item: TSchema) {
  return Type.Object({
    meta_data: Type.Object({
      count: Type.Integer({ description: 'Number of items in `data`.' }),
      data_type: Type.Integer({
        description: '0 unknown, 1 entity, 2 repository, 3 contributor, 4 token, 5 achievement, 6 key, 7 key id.',
      }),
      as_of: Type.Optional(Type.String({ ...Timestamp, description: 'Time of the last request to the provider.' })),
      complete: Type.Optional(Type.Boolean({ description: 'False while something is still being collected.' })),
      missing: Type.Optional(Type.Array(Type.String(), { description: 'Names of the numbers that are incomplete.' })),
      includes_private: Type.Optional(Type.Boolean()),
    }),
    data: Type.Array(item),
    previous_cursor: Type.Optional(Type.String()),
    next_cursor: Type.Optional(Type.String()),
  });
}
