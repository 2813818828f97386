import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { bodyReader } from '../../../src/http/server/body.ts';
import { AppError } from '../../../src/model/errors.ts';

const settings = Type.Object(
  { publish: Type.Optional(Type.Boolean()), hidden: Type.Optional(Type.Boolean()) },
  { additionalProperties: false },
);
const key = Type.Object({
  data: Type.Object({ key: Type.Union([Type.String(), Type.Object({ kty: Type.String() })]) }),
  format: Type.Optional(Type.Enum(['svg', 'png'])),
});

function toMessage(schema: Parameters<typeof bodyReader>[0], body: unknown): string {
  try {
    bodyReader(schema)(body);
  } catch (error) {
    assert.ok(error instanceof AppError);
    return error.message;
  }
  return 'accepted';
}

describe('errors of request bodies', () => {
  it('name the part with a control character, and leave line breaks alone', () => {
    for (const [text, code] of [
      ['a\0b', 'U+0000'],
      ['\u0007', 'U+0007'],
      ['\ud800', 'U+D800'],
    ]) {
      const message = `data.key of the body must not contain the character ${code}.`;
      assert.equal(toMessage(key, { data: { key: text } }), message);
    }
    const inside = 'data.key.kty of the body must not contain the character U+0000.';
    assert.equal(toMessage(key, { data: { key: { kty: '\0' } } }), inside);
    assert.equal(toMessage(key, { data: { key: 'a\r\n\tb😀' } }), 'accepted');
  });

  it('name the part that is wrong, and the valid values', () => {
    for (const [schema, body, message] of [
      [settings, { x: 1 }, 'The body has no field x. Its fields are: publish, hidden.'],
      [settings, { hiden: true }, 'The body has no field hiden. Did you mean hidden? Its fields are: publish, hidden.'],
      [settings, { publish: 'yes' }, 'publish of the body must be true or false.'],
      [settings, [], 'The body must be a JSON object with the fields publish, hidden.'],
      [settings, null, 'The body must be a JSON object with the fields publish, hidden.'],
      [key, {}, 'The body must have data.'],
      [key, { data: {} }, 'The body must have data.key.'],
      [key, { data: { key: 1 } }, 'data.key of the body must be a text or a JSON object with the fields kty.'],
      [key, { data: { key: 'k' }, format: 'gif' }, 'format of the body must be one of "svg", "png".'],
      [key, { data: { key: 'k' } }, 'accepted'],
    ] as const) {
      assert.equal(toMessage(schema, body), message);
    }
  });

  it('give the field and the rule to forms that call the field by another name', () => {
    for (const [body, name, fault] of [
      [{ data: {} }, 'data.key', 'is missing.'],
      [{ data: { key: 'k' }, format: 'gif' }, 'format', 'must be one of "svg", "png".'],
    ] as const) {
      assert.throws(() => bodyReader(key)(body), { field: { name, fault } });
    }
  });

  it('repeat no more than the visible letters of an unknown field', () => {
    assert.equal(
      toMessage(settings, { [`<b>${'x'.repeat(100)}`]: 1 }),
      `The body has no field b${'x'.repeat(49)}. Its fields are: publish, hidden.`,
    );
  });
});
