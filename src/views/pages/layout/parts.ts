import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { type HandlerResult, MovedRepository } from '../../../http/pipeline/endpoint.ts';
import type { PartResult } from '../../../http/pipeline/endpoint-registry.ts';
import type { Envelope } from '../../../http/pipeline/envelope.ts';

/** The members of responses of the API that pages read. */
export const AccountPart = Type.Object({
  provider: Type.String(),
  type: Type.String(),
  name: Type.String(),
  display_name: Type.String(),
  avatar_url: Type.String(),
  website: Type.String(),
  description: Type.String(),
  followers: Type.Integer(),
  experience: Type.Integer(),
  level: Type.Integer(),
  contributions: Type.Record(Type.String(), Type.Integer()),
});
export type AccountPart = Static<typeof AccountPart>;

export const PersonPart = Type.Object({
  provider: Type.String(),
  name: Type.String(),
  display_name: Type.String(),
  type: Type.String(),
  contributions: Type.Integer(),
});
export type PersonPart = Static<typeof PersonPart>;

export const AwardPart = Type.Object({
  id: Type.String(),
  repository_name: Type.String(),
  name: Type.String(),
  icon_url: Type.String(),
  description: Type.String(),
  awarded_dttm: Type.String(),
});
export type AwardPart = Static<typeof AwardPart>;

/** The counters of a repository; some have none. */
export const RepositoryPart = Type.Object({ contributions: Type.Record(Type.String(), Type.Integer()) });
export type RepositoryPart = Static<typeof RepositoryPart>;

export const BoardPart = Type.Object({ slug: Type.String(), name: Type.String(), description: Type.String() });
export type BoardPart = Static<typeof BoardPart>;

const Instant = Type.Union([Type.Null(), Type.String()]);
/** The members that describe a board, as responses about its ranking and about one person have them. */
export const BoardFacts = Type.Object({
  slug: Type.String(),
  name: Type.String(),
  window: Type.Object({ since: Instant, until: Instant, time_zone: Type.String() }),
  rules: Type.Array(Type.Object({ number: Type.Integer(), text: Type.String() })),
  threshold: Type.Union([Type.Null(), Type.Integer()]),
});

/** Items of a response, with its age and its gaps. */
export interface Part<Item> {
  items: readonly Item[];
  /** The time of the last request to the host; undefined where the response does not say. */
  asOf: Date | undefined;
  missing: readonly string[];
  /** True when more of the missing numbers is expected. */
  isCollecting: boolean;
  includesPrivate: boolean;
  /** The cursor of the items that follow; undefined at the end of the list. */
  next: string | undefined;
  /** The parts of the card input that were wanted. */
  cardInput: HandlerResult['cardInput'];
  staleAt: Date;
}

/** Returns a result; undefined also where it is only that the repository has another name. */
export function unlessMoved<Result>(result: Result | MovedRepository | undefined): Result | undefined {
  return result instanceof MovedRepository ? undefined : result;
}

/** Returns a function that reads the items of a response. */
export function partReader<Schema extends TSchema>(
  schema: Schema,
): (result: PartResult) => Part<Static<Schema>> | MovedRepository | undefined {
  const compiled = Compile(schema);
  const isItem = (item: unknown): item is Static<Schema> => compiled.Check(item);
  return (result) => {
    if (result === undefined || result instanceof MovedRepository) return result;
    const { envelope, staleAt, cardInput } = result;
    const { meta_data: metadata }: Envelope = envelope;
    const { as_of: asOf, missing = [], progress, includes_private: includesPrivate } = metadata;
    return {
      items: envelope.data.filter(isItem),
      asOf: asOf === undefined ? undefined : new Date(asOf),
      missing,
      isCollecting: missing.length > 0 && progress?.reason !== 'refused',
      includesPrivate: includesPrivate === true,
      next: envelope.next_cursor,
      cardInput,
      staleAt,
    };
  };
}
