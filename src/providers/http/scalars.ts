import { type TSchema, Type } from 'typebox';
import { orElse, orElseUncounted } from './tolerant.ts';

/** Values in responses of every host, within the bounds of what can be stored. */

export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
export const Text = Type.String();
/** A login, a path or another name by which something is found; without it nothing can be done with the thing. */
export const Name = Type.String({ minLength: 1 });
/** Counts are stored as `integer`. */
export const Count = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 });
/** Ids are stored as text; beyond this JavaScript rounds them. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** Number of an issue, pull request or discussion in its repository. */
export const ItemNumber = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 });
/** A time of ISO 8601 that is a real moment with an offset. */
export const Time = Type.String({
  pattern:
    '^(?!0000)\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?(?:Z|[+-]\\d\\d:?\\d\\d)$',
});

/** Fields that an item can do without; null where they cannot be read. */
export const optionalCount = () => orElse(Nullable(Count), null);
export const optionalText = () => orElse(Nullable(Text), null);
export const optionalTime = () => orElse(Nullable(Time), null);
/** The time of a step that is counted, such as closing or merging. */
export const countedTime = () => orElseUncounted(Nullable(Time), null);
