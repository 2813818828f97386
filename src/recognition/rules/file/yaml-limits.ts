import { Lexer } from 'yaml';
import { codeOf } from '../../../model/text/control-characters.ts';
import { type Fault, newFault } from '../conditions/fault.ts';

/** Several times the number of tokens in 256 KiB of achievements; only a file made to waste time has more. */
const maxTokens = 150_000;
const maxBrackets = 64;
/** Characters that a file must not contain, not even in a comment (YAML 1.2, 5.1). */
const notPrintable = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}\ufeff]/u;

/**
 * Returns the fault of a text that must not be given to the YAML parser. Takes little time, in proportion to the text.
 */
export function findYamlProblem(text: string): Fault | undefined {
  const control = notPrintable.exec(text);
  if (control !== null) {
    const span = { start: control.index, end: control.index + control[0].length };
    return newFault(span, `the character ${codeOf(control[0])} cannot stand in YAML`, { expected: 'text in UTF-8' });
  }
  let [tokens, depth, offset] = [0, 0, 0];
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth = Math.max(0, depth - 1);
    const span = { start: offset, end: offset };
    if (depth > maxBrackets)
      return newFault(span, 'too many brackets inside each other', { expected: `at most ${maxBrackets}` });
    if (tokens > maxTokens)
      return newFault(span, 'the file has too many parts', { expected: 'one list of achievements' });
    // The lexer marks documents and scalars with single control characters that are not in the text.
    if (!isMark(token)) offset = Math.min(text.length, offset + token.length);
  }
  return undefined;
}

function isMark(token: string): boolean {
  return token === '\u0002' || token === '\u0018' || token === '\u001f';
}
