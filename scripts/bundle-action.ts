import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Writes the entry of the action, which runners start without installing packages: `npm run -s bundle:action`. With `--check` it
 * compares the stored file with its source.
 */

const path = (name: string): string => fileURLToPath(new URL(`../workflow/${name}`, import.meta.url));
const maxBytes = 2_000_000;

const { outputFiles } = await build({
  entryPoints: [path('main.ts')],
  absWorkingDir: path('..'),
  bundle: true,
  write: false,
  minify: true,
  platform: 'node',
  format: 'cjs',
  // The runners of Forgejo and Gitea start the Node of their image.
  target: 'node20',
  legalComments: 'none',
  define: { 'import.meta.url': 'importMetaUrl' },
  banner: {
    js: "/* Made from workflow/main.ts by npm run bundle:action. */\nconst importMetaUrl = require('node:url').pathToFileURL(__filename).href;",
  },
});
const text = outputFiles[0]?.text ?? '';
const file = path('action.cjs');

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.log('workflow/action.cjs is not made from its source: npm run -s bundle:action');
  process.exitCode = 1;
}
if (statSync(file).size > maxBytes) {
  console.log(`workflow/action.cjs has more than ${maxBytes} bytes`);
  process.exitCode = 1;
}
