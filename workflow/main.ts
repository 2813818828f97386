import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { error, getInput, info, setSecret } from '@actions/core';
import { findBranch, pushFiles } from './commit.ts';
import { restoreData } from './data.ts';
import { type Inputs, type Place, readInputs } from './inputs.ts';
import { installProgram } from './program.ts';
import { report, type WrittenCard } from './report.ts';
import { run } from './run.ts';

/** The entry of the action: draws cards, and writes them into the repository of the workflow. */

/** The folder that the runner fetched the action to. */
const root = fileURLToPath(new URL('..', import.meta.url));

async function main(): Promise<void> {
  const place = readPlace();
  const inputs = readInputs((name) => getInput(name), place);
  setSecret(inputs.token);
  const branch = inputs.isUploadOnly ? undefined : (inputs.ref ?? (await findBranch(place)));
  // The files of another branch do not belong into the workspace.
  const folder = inputs.ref === undefined ? place.workspace : join(place.temporary, 'plaudit-cards');
  if (inputs.ref !== undefined) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const program = await installProgram(root);
  const number = `${read('GITHUB_RUN_ID')}-${read('GITHUB_RUN_ATTEMPT')}`;
  const data = await restoreData(root, place, inputs, number);
  try {
    const drawn = await drawCards(place, inputs, { node: program.node, folder, dataFolder: data.folder });
    let { cards } = drawn;
    if (branch !== undefined) {
      const files = cards.map(({ file }) => file);
      const changed = await pushFiles(place, { folder, files, branch, message: inputs.message });
      cards = cards.map((card) => ({ ...card, changed: changed.has(card.file) }));
    }
    for (const { file, changed } of cards) info(`${file} ${changed ? 'written' : 'is as it was'}`);
    await report(place, cards, branch);
    if (drawn.data_changed || !data.isRestored) await data.keep();
    await program.keep();
  } finally {
    await rm(data.folder, { recursive: true, force: true });
  }
}

function read(name: string): string {
  return process.env[name] ?? '';
}

function readPlace(): Place {
  // Forgejo's runner sets both, for actions that know Gitea alone.
  const isGitea = read('GITEA_ACTIONS') === 'true' || read('FORGEJO_ACTIONS') === 'true';
  return {
    workspace: read('GITHUB_WORKSPACE') || process.cwd(),
    temporary: read('RUNNER_TEMP') || tmpdir(),
    serverUrl: read('GITHUB_SERVER_URL').replace(/\/+$/, ''),
    repository: read('GITHUB_REPOSITORY'),
    host: isGitea ? 'gitea' : 'github',
  };
}

interface Drawn {
  cards: WrittenCard[];
  data_changed: boolean;
}

/** Draws the cards. An image that shows an error fails the run, before anything is committed. */
async function drawCards(
  { host, serverUrl }: Place,
  { cards, token }: Inputs,
  { node, folder, dataFolder }: { node: string; folder: string; dataFolder: string },
): Promise<Drawn> {
  // Settings of a database that other steps use would lead to that one; the rest is of no concern to the program.
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:INPUT_|ACTIONS_|DATABASE_|GITEA_|GITHUB_TOKEN$)/.test(name),
  );
  const prefix = host.toUpperCase();
  const { status, output, errors } = await run(
    node,
    [join(root, 'bin/plaudit.js'), 'card', '--json', ...cards.flatMap(({ file, address }) => [address, file])],
    {
      cwd: folder,
      env: {
        ...Object.fromEntries(kept),
        [`${prefix}_TOKEN`]: token,
        [`${prefix}_URL`]: serverUrl,
        ...(host === 'gitea' && { GITHUB_API_URL: undefined }),
        DATA_DIR: dataFolder,
      },
      isShown: true,
    },
  );
  if (status !== 0) throw new Error(errors.trim().split('\n').at(-1) || `plaudit card ended with status ${status}`);
  return JSON.parse(output);
}

main().catch((failure: unknown) => {
  for (const problem of failure instanceof AggregateError ? failure.errors : [failure])
    error(problem instanceof Error ? problem.message : String(problem));
  process.exitCode = 1;
});
