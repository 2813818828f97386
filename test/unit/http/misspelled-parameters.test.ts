import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { imagesKey } from '../../../src/http/pipeline/images.ts';
import { parameterReader } from '../../../src/http/pipeline/parameters.ts';

describe('misspelled parameters of images', () => {
  const read = parameterReader(
    Object.assign(Type.Object({ theme: Type.Optional(Type.String()) }), { [imagesKey]: 'always' }),
  );
  const others = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`other_${index}`, '']));

  it('are named among a few others', () => {
    assert.throws(() => read({ ...others(10), tehme: 'dark' }), /tehme: did you mean theme\?/);
  });

  it('are looked for among the first names alone, because a URL may have more than a thousand', () => {
    assert.deepEqual(read({ ...others(1400), tehme: 'dark', theme: 'dark' }), { theme: 'dark' });
  });
});
