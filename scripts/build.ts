import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Writes `dist`, which has a JavaScript file for each TypeScript file of `src`, with the same lines. */
function build(dist: string): void {
  rmSync(dist, { recursive: true, force: true });
  for (const path of globSync('**/*.*', { cwd: join(root, 'src'), exclude: ['**/*.md'] })) {
    const source = join(root, 'src', path);
    const target = join(dist, path);
    mkdirSync(dirname(target), { recursive: true });
    if (path.endsWith('.ts')) writeFileSync(target.replace(/\.ts$/, '.js'), toJavaScript(readFileSync(source, 'utf8')));
    else cpSync(source, target);
  }
}

/** Removes types in place, as Node itself does, and names the other modules of this program by their new names. */
function toJavaScript(text: string): string {
  return stripTypeScriptTypes(text, { mode: 'strip' }).replaceAll(
    /(\bfrom |\bimport |\bimport\(|new URL\()'(\.\.?\/[^']+)\.ts'/g,
    "$1'$2.js'",
  );
}

build(join(root, 'dist'));
