import fc from 'fast-check';
import { anyCharacter } from '../../any-character.ts';
import { names } from './inputs.ts';

/** Generates any text that an account may have as its name. */
export const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(...Object.values(names), ']]>', '"onload="x', '\0\u0007\uFFFE', '\uD800', '&#0;', '--><!--'),
);
