import { type TSchema, Type } from 'typebox';
import { orElse, orElseUncounted } from './tolerant.ts';

/** Values in responses of every host, within the bounds of what can be stored. */

export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
export const Text = Type.String();
/** A login, a path or another name by which an item is found; an item without it is useless. */
export const Name = Type.String({ minLength: 1 });
/** A name under which further requests are sent: one with a character that could not be read is another name. */
export const ExactName = Type.String({ pattern: '^[^\ufffd]+$' });
/** A count, within the range of PostgreSQL's `integer`, the type of its column. */
export const Count = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 });
/** An id, which is stored as text; JavaScript rounds greater numbers. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** The id of a git commit, in SHA-1 or SHA-256. */
export const CommitId = Type.String({ pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$' });
/** The number of an issue, pull request or discussion in its repository. */
export const ItemNumber = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 });
/** A time in ISO 8601 with an offset from UTC. */
export const Time = Type.String({
  pattern:
    '^(?!0000)\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?(?:Z|[+-]\\d\\d:?\\d\\d)$',
});

/** Fields that an item can do without; they become null where they cannot be read. */
export const optionalCount = () => orElse(Nullable(Count), null);
export const optionalText = () => orElse(Nullable(Text), null);
export const optionalTime = () => orElse(Nullable(Time), null);
/** The time of a step that is counted, such as closing or merging. */
export const countedTime = () => orElseUncounted(Nullable(Time), null);
