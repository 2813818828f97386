import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };
const largest = 0x10ffff;

/**
 * Generates any character, half of them in ASCII, as a unit of `fc.string`. The library's own unit `binary` takes half a
 * second of processor time to prepare.
 */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: largest - surrogates.count }))
  .map((number) => String.fromCodePoint(number < surrogates.first ? number : number + surrogates.count));
