import { openExperiment } from './experiment.ts';
import { hosts } from './hosts.ts';
import { hash } from './mutations.ts';
import type { Stage } from './run.ts';

/** Tries one part of the mutations; writes each verdict as a line of JSON. */

interface Wanted {
  host: string[];
  only: string[];
  stage: Stage[];
  shard: string;
  seed: string;
  percent: string;
  part: string;
}

const wanted = JSON.parse(process.argv[2] ?? '{}') as Wanted;
const [shard = 1, shards = 1] = wanted.shard.split('/').map(Number);
const [part = 0, parts = 1] = wanted.part.split('/').map(Number);
for (const host of hosts.filter(({ name }) => wanted.host.includes(name))) {
  await using experiment = await openExperiment(host, { stages: wanted.stage, seed: Number(wanted.seed) });
  const chosen = experiment.mutations.filter(
    ({ id }) =>
      wanted.only.some((text) => id.includes(text)) && hash(`${wanted.seed} ${id}`) % 100 < Number(wanted.percent),
  );
  const mine = chosen
    .filter((_one, index) => index % shards === shard - 1)
    .filter((_one, index) => index % parts === part);
  if (part === 0)
    console.error(
      `${host.name}: ${chosen.length} chosen of ${experiment.mutations.length}, ${experiment.unread} others change what nothing reads`,
    );
  for (const mutation of mine) console.log(JSON.stringify(await experiment.attempt(mutation)));
}
