import { locales } from '../src/views/languages/texts.ts';
import { compareTranslation, readTranslation } from './language-rules.ts';

/**
 * Checks the texts of each language: `npm run check:languages`. Lists missing translations, in whose place readers see
 * English, and fails for faults. The rules are in language-rules.ts.
 */

for (const locale of locales) {
  const file = `src/views/languages/${locale}.json`;
  const { faults, missing } = compareTranslation(locale, readTranslation(locale));
  for (const fault of faults) console.log(`${file}: ${fault}`);
  for (const name of missing) console.log(`${file}: ${name} is not translated yet (no error)`);
  if (faults.length > 0) process.exitCode = 1;
}
