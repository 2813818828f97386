import { openExperiment } from './experiment.ts';
import { hosts } from './hosts.ts';
import { hash } from './mutations.ts';
import type { Stage } from './run.ts';

/** Tries one part of the mutations; writes each verdict as a line of JSON. */

interface WorkerOptions {
  host: string[];
  only: string[];
  stage: Stage[];
  shard: string;
  seed: string;
  percent: string;
  part: string;
}

const options = JSON.parse(process.argv[2] ?? '{}') as WorkerOptions;
const [shard = 1, shards = 1] = options.shard.split('/').map(Number);
const [part = 0, parts = 1] = options.part.split('/').map(Number);
for (const host of hosts.filter(({ name }) => options.host.includes(name))) {
  await using experiment = await openExperiment(host, { stages: options.stage, seed: Number(options.seed) });
  const chosen = experiment.mutations.filter(
    ({ id }) =>
      options.only.some((text) => id.includes(text)) && hash(`${options.seed} ${id}`) % 100 < Number(options.percent),
  );
  const assigned = chosen
    .filter((_mutation, index) => index % shards === shard - 1)
    .filter((_mutation, index) => index % parts === part);
  if (part === 0)
    console.error(
      `${host.name}: ${chosen.length} chosen of ${experiment.mutations.length}, ${experiment.unread} others change properties that the service does not read`,
    );
  for (const mutation of assigned) console.log(JSON.stringify(await experiment.attempt(mutation)));
}
