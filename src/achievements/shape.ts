import type { TSchema } from 'typebox';

/** A TypeBox schema, read as the plain JSON Schema that it is: as much of it as the file's shape uses. */
export interface Shape {
  type?: string | string[];
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, Shape>>;
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

export function shapeOf(schema: TSchema): Shape {
  return schema;
}
