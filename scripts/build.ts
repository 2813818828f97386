import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** Writes the repository and the commit that the package is made of, which workflows for cards name. */
async function writeSource(dist: string): Promise<void> {
  // An image is built without git, and without the modules that read it.
  if (!existsSync(join(root, '.git'))) return;
  const { readSource } = await import('../src/app/commands/card-workflow.ts');
  const source = await readSource(join(root, '.git'), AbortSignal.timeout(60_000));
  if (source !== undefined) writeFileSync(join(dist, 'source.json'), `${JSON.stringify(source)}\n`);
}

build(join(root, 'dist'));
await writeSource(join(root, 'dist'));
