import type { TSchema } from 'typebox';

/** A TypeBox schema as the plain JSON Schema that it is, with the keywords that the schema of the file uses. */
export interface Shape {
  type?: string | string[];
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, Shape>>;
  /** The values of a mapping whose keys the author chooses, by the pattern of the keys. */
  patternProperties?: Readonly<Record<string, Shape>>;
  maxProperties?: number;
  required?: readonly string[];
  items?: Shape;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  description?: string;
}

export function toShape(schema: TSchema): Shape {
  return schema;
}
