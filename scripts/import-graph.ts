import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';

/**
 * Writes the graph of imports between the rooms of src/ into ARCHITECTURE.md, with the numbers of rooms, floors and arrows.
 * `--check` fails when the graph is outdated, larger than its limits, or has a circle, and when an import of any folder breaks
 * a rule of .dependency-cruiser.js.
 */

/** Folders below a room that are rooms themselves, because they hold a subject of their own. */
const innerRooms = [
  'recognition/rules',
  'recognition/achievements',
  'recognition/boards',
  'views/languages',
  'views/cards',
  'views/pages',
];
const limits = { rooms: 17, floors: 12, arrows: 85 };
const limited = ['rooms', 'floors', 'arrows'] as const;

const file = fileURLToPath(new URL('../ARCHITECTURE.md', import.meta.url));
const mark = '<!-- import graph -->';

const isCheck = process.argv.includes('--check');
const config = fileURLToPath(new URL('../.dependency-cruiser.js', import.meta.url));
const { output } = await cruise(
  isCheck ? ['src', 'simulators', 'test', 'bench', 'scripts', 'workflow'] : ['src'],
  await extractDepcruiseOptions(config),
);
if (typeof output === 'string') throw new Error('dependency-cruiser reports text in place of modules');
if (isCheck) {
  for (const { rule, from, to } of output.summary.violations) fail(`${rule.name}: ${from} → ${to}`);
}
const arrows = new Map<string, Set<string>>();
for (const { source, dependencies } of output.modules) {
  for (const { resolved } of dependencies) {
    const [from, to] = [findRoom(source), findRoom(resolved)];
    if (from === undefined || to === undefined || from === to) continue;
    arrows.set(from, (arrows.get(from) ?? new Set()).add(to));
  }
}
const rooms = [...new Set([...arrows].flatMap(([from, targets]) => [from].concat([...targets])))].toSorted();
const counts = {
  rooms: rooms.length,
  floors: Math.max(...rooms.map((room) => findFloor(room, []))),
  arrows: [...arrows.values()].reduce((sum, targets) => sum + targets.size, 0),
};
const lines = [...arrows]
  .toSorted(([one], [other]) => one.localeCompare(other))
  .flatMap(([from, targets]) => [...targets].toSorted().map((to) => `  ${toId(from)} --> ${toId(to)}`));
const summary = `${counts.rooms} rooms on ${counts.floors} floors, ${counts.arrows} arrows:`;
const graph = [summary, '', '```mermaid', 'graph TD', ...lines, '```', ''].join('\n');
const before = readFileSync(file, 'utf8');
const after = `${before.slice(0, before.indexOf(mark))}${mark}\n${graph}`;
if (!isCheck) writeFileSync(file, after);
else if (after !== before)
  fail('ARCHITECTURE.md does not show the imports as they are: run npx node scripts/import-graph.ts');
for (const name of limited) {
  if (counts[name] > limits[name]) fail(`src/ has ${counts[name]} ${name}; at most ${limits[name]} are wanted.`);
}

/** Returns the room of a file: an inner room, or the folder of src. The command line, src/main.ts, is above all rooms. */
function findRoom(path: string): string | undefined {
  const [, outer, inner] = /^src\/([^/]+)\/(?:([^/]+)\/)?/.exec(path) ?? [];
  if (outer === undefined) return undefined;
  return innerRooms.find((room) => room === `${outer}/${inner}`) ?? outer;
}

/** Returns the length of the longest way down from a room. */
function findFloor(room: string, above: readonly string[]): number {
  if (above.includes(room)) {
    throw new Error(
      `The rooms import each other in a circle: ${[...above.slice(above.indexOf(room)), room].join(' → ')}.`,
    );
  }
  const below = [...(arrows.get(room) ?? [])].map((target) => findFloor(target, [...above, room]));
  return 1 + Math.max(0, ...below);
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

function toId(room: string): string {
  return room.replace('/', '_');
}
