import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BoardsFile } from '../src/recognition/boards/file/schema.ts';
import { ConfigFile } from '../src/recognition/rules/file/file-schema.ts';

/** Writes the JSON Schemas of the files of achievements and of boards, for editors; `--check` fails when one is outdated. */

for (const [name, schema] of Object.entries({ achievements: ConfigFile, boards: BoardsFile })) {
  const file = fileURLToPath(new URL(`../docs/${name}.schema.json`, import.meta.url));
  const after = `${JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema }, null, 2)}\n`;
  if (!process.argv.includes('--check')) writeFileSync(file, after);
  else if (readFileSync(file, 'utf8') !== after) {
    console.error(`docs/${name}.schema.json is not that of the reader: run npx node scripts/file-schemas.ts`);
    process.exitCode = 1;
  }
}
