import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { parse } from 'yaml';

/** Runs actions of Node as runners do: the entry that `action.yml` names, with inputs and files in environment variables. */

const Action = Compile(
  Type.Object({
    name: Type.String(),
    description: Type.String(),
    branding: Type.Object({ icon: Type.String(), color: Type.String() }),
    inputs: Type.Record(
      Type.String(),
      Type.Object({ description: Type.String(), default: Type.String() }, { additionalProperties: false }),
    ),
    outputs: Type.Record(Type.String(), Type.Object({ description: Type.String() })),
    runs: Type.Object({ using: Type.Literal('node24'), main: Type.String() }, { additionalProperties: false }),
  }),
);

export interface Workflow {
  /** The folder that the action is fetched to. */
  actionPath: string;
  /** The folder with the checked-out repository. */
  workspace: string;
  temporary: string;
  serverUrl: string;
  apiUrl: string;
  /** The address of the cache server; absent where the runner has none. */
  cacheUrl?: string;
  /** The repository of the workflow: `owner/name`. */
  repository: string;
  isPrivate: boolean;
  /** The token of the workflow. */
  token: string;
  /** Other environment variables of the machine. */
  environment: Record<string, string>;
}

export interface Run {
  status: number | null;
  /** Everything that the action writes, with commands such as `::error::`. */
  log: string;
  outputs: Record<string, string>;
  /** Markdown. */
  summary: string;
}

let runs = 0;

/** Runs the action to its end. @param node the Node that the runner starts it with. */
export async function runAction(
  workflow: Workflow,
  inputs: Record<string, string> = {},
  node = process.execPath,
): Promise<Run> {
  const { actionPath, workspace, temporary, token, repository, isPrivate } = workflow;
  const action = Action.Parse(parse(await readFile(join(actionPath, 'action.yml'), 'utf8')));
  const unknown = Object.keys(inputs).find((name) => action.inputs[name] === undefined);
  if (unknown !== undefined) throw new Error(`the action has no input ${unknown}`);
  const given = Object.entries(action.inputs).map(([name, { default: otherwise }]): [string, string] => [
    `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`,
    inputs[name] ?? otherwise.replace('${{ github.token }}', token),
  ]);
  const files = await mkdtemp(join(temporary, 'files-'));
  const [output, summary, event] = ['output', 'summary', 'event.json'].map((name) => join(files, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(output, '');
  await writeFile(summary, '');
  await writeFile(event, JSON.stringify({ repository: { private: isPrivate } }));
  runs += 1;
  const child = spawn(node, [join(actionPath, action.runs.main)], {
    cwd: workspace,
    env: {
      CI: 'true',
      GITHUB_ACTION: '__self',
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTOR: 'somebody',
      GITHUB_API_URL: workflow.apiUrl,
      GITHUB_ENV: join(files, 'env'),
      GITHUB_EVENT_NAME: 'schedule',
      GITHUB_EVENT_PATH: event,
      GITHUB_JOB: 'cards',
      GITHUB_OUTPUT: output,
      GITHUB_REF: 'refs/heads/main',
      GITHUB_REF_NAME: 'main',
      GITHUB_REPOSITORY: repository,
      GITHUB_REPOSITORY_OWNER: repository.split('/')[0],
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_RUN_ID: String(runs),
      GITHUB_SERVER_URL: workflow.serverUrl,
      GITHUB_SHA: '0'.repeat(40),
      GITHUB_STATE: join(files, 'state'),
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_WORKFLOW: 'cards',
      GITHUB_WORKSPACE: workspace,
      RUNNER_OS: 'Linux',
      RUNNER_TEMP: temporary,
      RUNNER_TOOL_CACHE: temporary,
      ...(workflow.cacheUrl !== undefined && {
        ACTIONS_CACHE_URL: workflow.cacheUrl,
        ACTIONS_RUNTIME_TOKEN: 'runtime',
      }),
      ...workflow.environment,
      ...Object.fromEntries(given),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [written, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return {
    status: child.exitCode,
    log: written + errors,
    outputs: readOutputs(await readFile(output, 'utf8')),
    summary: await readFile(summary, 'utf8'),
  };
}

/** Reads the file of outputs: each is `NAME<<DELIMITER`, its lines, and the delimiter. */
function readOutputs(file: string): Record<string, string> {
  const found = file.matchAll(/^(\w+)<<(.+)\n([\s\S]*?)\n\2$/gm);
  return Object.fromEntries([...found].map(([, name = '', , value = '']) => [name, value]));
}
