/** Returns whether a value is an object, whose fields may be anything. A list is an object too. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Returns the fields of a value; none where it is no object. */
export function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
