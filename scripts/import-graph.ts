import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseResult } from 'dependency-cruiser';

/**
 * Writes the graph of imports between the modules of src/ into ARCHITECTURE.md; `--check` fails when it is outdated.
 */

const file = fileURLToPath(new URL('../ARCHITECTURE.md', import.meta.url));
const mark = '<!-- import graph -->';

const { output } = await cruise(['src'], { doNotFollow: { path: 'node_modules' }, tsPreCompilationDeps: true });
const edges = new Map<string, Set<string>>();
for (const { source, dependencies } of (output as ICruiseResult).modules) {
  for (const { resolved } of dependencies) {
    const [from, to] = [moduleOf(source), moduleOf(resolved)];
    if (from === undefined || to === undefined || from === to) continue;
    edges.set(from, (edges.get(from) ?? new Set()).add(to));
  }
}
const lines = [...edges]
  .toSorted(([one], [other]) => one.localeCompare(other))
  .flatMap(([from, targets]) => [...targets].toSorted().map((to) => `  ${idOf(from)} --> ${idOf(to)}`));
const graph = ['```mermaid', 'graph LR', ...lines, '```', ''].join('\n');
const before = readFileSync(file, 'utf8');
const after = `${before.slice(0, before.indexOf(mark))}${mark}\n${graph}`;
if (!process.argv.includes('--check')) writeFileSync(file, after);
else if (after !== before) {
  console.error('ARCHITECTURE.md does not show the imports as they are: run npx node scripts/import-graph.ts');
  process.exitCode = 1;
}

/**
 * Returns the module of a file: a folder of src, src/hosts/github, or one of the files of src that compose them;
 * undefined for others.
 */
function moduleOf(path: string): string | undefined {
  const [, name, inner] = /^src\/([^/]+)\/(?:([^/]+)\/)?/.exec(path) ?? [];
  if (!path.startsWith('src/')) return undefined;
  if (name === undefined) return /^src\/(main|app|core|create-app|jobs)\.ts$/.exec(path)?.[1];
  return name === 'providers' && inner === 'github' ? 'providers/github' : name;
}

function idOf(name: string): string {
  return name.replace('/', '_');
}
