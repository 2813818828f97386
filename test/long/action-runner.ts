import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { parse } from 'yaml';

/** Runs composite actions as GitHub's runner does: their steps in order, each by the shell that it names. */

const Action = Compile(
  Type.Object({
    name: Type.String(),
    description: Type.String(),
    inputs: Type.Record(
      Type.String(),
      Type.Object(
        {
          description: Type.String(),
          required: Type.Optional(Type.Boolean()),
          default: Type.Optional(Type.String()),
        },
        { additionalProperties: false },
      ),
    ),
    runs: Type.Object({
      using: Type.Literal('composite'),
      steps: Type.Array(
        Type.Object(
          {
            name: Type.String(),
            shell: Type.Literal('bash'),
            run: Type.String(),
            env: Type.Optional(Type.Record(Type.String(), Type.String())),
            'working-directory': Type.Optional(Type.String()),
          },
          { additionalProperties: false },
        ),
      ),
    }),
  }),
);

const run = promisify(execFile);

export interface Workflow {
  /** The folder that the action is fetched to. */
  actionPath: string;
  /** The folder with the checked-out repository. */
  workspace: string;
  temporary: string;
  serverUrl: string;
  apiUrl: string;
  /** The repository of the workflow: `owner/name`. */
  repository: string;
  /** The token of the workflow. */
  token: string;
  /** Other environment variables of the machine. */
  environment: Record<string, string>;
}

/**
 * Runs the steps of the action in order.
 * @param done the name of a step that was run before, with those in front of it.
 * @throws Error as soon as a step fails, with its output.
 */
export async function runAction(workflow: Workflow, inputs: Record<string, string>, done?: string): Promise<string> {
  const { actionPath, workspace, temporary, serverUrl, token } = workflow;
  const action = Action.Parse(parse(await readFile(join(actionPath, 'action.yml'), 'utf8')));
  const contextValues = new Map([
    ['github.action_path', actionPath],
    ['github.server_url', serverUrl],
    ['github.token', token],
    ['runner.temp', temporary],
  ]);
  const fill = (text: string): string =>
    text.replace(/\$\{\{\s*([\w.]+)\s*\}\}/g, (_whole, name: string) => {
      const value = contextValues.get(name);
      if (value === undefined) throw new Error(`${name} is nothing that a runner knows`);
      return value;
    });
  for (const [name, { required = false, default: otherwise = '' }] of Object.entries(action.inputs)) {
    const value = inputs[name];
    if (value === undefined && required) throw new Error(`the input ${name} is required`);
    contextValues.set(`inputs.${name}`, value ?? fill(otherwise));
  }
  let written = '';
  const { steps } = action.runs;
  const last = steps.findIndex(({ name }) => name === done);
  if (done !== undefined && last < 0) throw new Error(`there is no step ${done}`);
  for (const [index, step] of steps.slice(last + 1).entries()) {
    // Inputs reach a script as environment variables, because an expression would become a part of the script.
    if (step.run.includes('${{')) throw new Error(`${step.name} holds an expression`);
    const script = join(temporary, `step-${index}.sh`);
    await writeFile(script, step.run);
    const env = Object.entries(step.env ?? {}).map(([name, value]): [string, string] => [name, fill(value)]);
    const { stdout, stderr } = await run('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', script], {
      cwd: step['working-directory'] === undefined ? workspace : fill(step['working-directory']),
      env: { ...listVariables(workflow), ...Object.fromEntries(env) },
    });
    written += stdout + stderr;
  }
  return written;
}

/** Returns the variables that GitHub sets for every step, but no token. */
function listVariables({ actionPath, workspace, temporary, serverUrl, apiUrl, repository, environment }: Workflow) {
  return {
    CI: 'true',
    GITHUB_ACTION: '__self',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_PATH: actionPath,
    GITHUB_ACTION_REF: 'v1',
    GITHUB_ACTION_REPOSITORY: 'plaudit/plaudit',
    GITHUB_ACTOR: 'somebody',
    GITHUB_ACTOR_ID: '1',
    GITHUB_API_URL: apiUrl,
    GITHUB_BASE_REF: '',
    GITHUB_ENV: join(temporary, 'env'),
    GITHUB_EVENT_NAME: 'schedule',
    GITHUB_EVENT_PATH: join(temporary, 'event.json'),
    GITHUB_GRAPHQL_URL: `${apiUrl}/graphql`,
    GITHUB_HEAD_REF: '',
    GITHUB_JOB: 'cards',
    GITHUB_OUTPUT: join(temporary, 'output'),
    GITHUB_PATH: join(temporary, 'path'),
    GITHUB_REF: 'refs/heads/main',
    GITHUB_REF_NAME: 'main',
    GITHUB_REF_PROTECTED: 'false',
    GITHUB_REF_TYPE: 'branch',
    GITHUB_REPOSITORY: repository,
    GITHUB_REPOSITORY_ID: '1',
    GITHUB_REPOSITORY_OWNER: repository.split('/')[0] ?? '',
    GITHUB_RETENTION_DAYS: '90',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_RUN_ID: '1',
    GITHUB_RUN_NUMBER: '1',
    GITHUB_SERVER_URL: serverUrl,
    GITHUB_SHA: '0'.repeat(40),
    GITHUB_STATE: join(temporary, 'state'),
    GITHUB_STEP_SUMMARY: join(temporary, 'summary'),
    GITHUB_TRIGGERING_ACTOR: 'somebody',
    GITHUB_WORKFLOW: 'cards',
    GITHUB_WORKSPACE: workspace,
    RUNNER_ARCH: 'X64',
    RUNNER_OS: 'Linux',
    RUNNER_TEMP: temporary,
    RUNNER_TOOL_CACHE: temporary,
    ...environment,
  };
}
