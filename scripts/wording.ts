/** Words and constructions that hide the subject or stand for an established term, and what to write in their place. */

export interface WordingRule {
  pattern: RegExp;
  /** What to write in its place. */
  instead: string;
}

/** For comments, test titles and messages. */
export const wordingRules: readonly WordingRule[] = [
  { pattern: /\b(?:whoever|whosoever|whomever|whichever|whatever)\b/i, instead: 'name the subject' },
  { pattern: /\b(?:nobody|somebody|everybody)(?:['’]s)?\b/i, instead: 'name the account, caller or process' },
  { pattern: /\banew\b/i, instead: 'again' },
  { pattern: /\b(?:tells?|told|telling)\b/i, instead: 'report, return, send, show' },
  { pattern: /\b(?:asks?|asked|asking)\b/i, instead: 'request, fetch, look up' },
  {
    pattern: /(?<!accepted |chosen |chooses an |marked )\banswer(?:s|ed|ing)?\b(?! of (?:a )?discussions?)/i,
    instead: 'response',
  },
  { pattern: /\bpictures?\b/i, instead: 'image or card' },
  { pattern: /\bquestions?\b/i, instead: 'lookup or request' },
  { pattern: /\bjudg(?:es?|ed|ing|ements?)\b/i, instead: 'evaluate, evaluation' },
  { pattern: /\blearn(?:t|s|ed)?\b/i, instead: 'read, store, find' },
  { pattern: /\b(?:is|are|was|were) gone\b/i, instead: 'deleted, hidden or absent' },
  { pattern: /\bmended?\b/i, instead: 'fixed, repaired' },
  { pattern: /\bso (?:many|much|long|few)\b/i, instead: 'name the number or the time' },
  { pattern: /\b(?:hears? of|comes? to be|is to be|are to be)\b/i, instead: 'name the actor and the action' },
  { pattern: /\bwhat (?:is|was|nobody|there|it|they|he|one)\b/i, instead: 'name the thing' },
];

/** How a comment must not begin: these beginnings leave out the verb. */
export const beginning: WordingRule = {
  pattern: /^(?:What|Whether|Who|Whose|Whom|Of)\b/,
  instead: 'begin with a verb or the subject: Returns…, Stores…, The…',
};

/** How a test title must not begin: a title names behaviour. */
export const titleBeginning: WordingRule = {
  pattern: /^(?:what|whether|who|whose|whom|of|as|an?)\b/i,
  instead: 'begin with a verb, or the subject in the plural',
};

/** Returns the first violation of each rule in a text. Code, options and quotations are not the text's own words. */
export function listViolations(text: string, rules: readonly WordingRule[]): { found: string; instead: string }[] {
  const words = text.replaceAll(/--[a-z-]+|`[^`]*`|“[^”]*”|"[^"]*"/g, '``');
  return rules.flatMap(({ pattern, instead }) => {
    const [found] = pattern.exec(words) ?? [];
    return found === undefined ? [] : [{ found, instead }];
  });
}
