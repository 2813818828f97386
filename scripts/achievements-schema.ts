import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigFile } from '../src/achievements/file-schema.ts';

/** Writes the JSON Schema of the file of achievements, for editors; `--check` fails when it is outdated. */

const file = fileURLToPath(new URL('../docs/achievements.schema.json', import.meta.url));
const schema = { $schema: 'http://json-schema.org/draft-07/schema#', ...ConfigFile };
const after = `${JSON.stringify(schema, null, 2)}\n`;
if (!process.argv.includes('--check')) writeFileSync(file, after);
else if (readFileSync(file, 'utf8') !== after) {
  console.error('docs/achievements.schema.json is not that of the reader: run node scripts/achievements-schema.ts');
  process.exitCode = 1;
}
