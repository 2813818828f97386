import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { parse } from 'yaml';

const Permissions = Type.Optional(Type.Record(Type.String(), Type.String()));
const Workflow = Type.Object({
  on: Type.Unknown(),
  permissions: Permissions,
  jobs: Type.Record(
    Type.String(),
    Type.Object({
      permissions: Permissions,
      'timeout-minutes': Type.Optional(Type.Integer()),
      steps: Type.Array(Type.Object({ uses: Type.Optional(Type.String()) })),
    }),
  ),
});

/**
 * Returns the problems of a workflow that could give a stranger what the repository may do: actions that are not pinned by their
 * commit, permissions to write for all jobs, runs of strangers' changes with secrets, and jobs without a limit in time.
 */
export function checkWorkflow(text: string): string[] {
  const workflow = Value.Parse(Workflow, parse(text));
  const problems: string[] = [];
  if (JSON.stringify(workflow.on).includes('pull_request_target'))
    problems.push('"pull_request_target" gives secrets to changes of strangers');
  if (JSON.stringify(workflow.permissions) !== '{"contents":"read"}')
    problems.push('the permissions of the workflow have to be "contents: read" alone; a job can have more');
  for (const [name, { steps, 'timeout-minutes': timeout }] of Object.entries(workflow.jobs)) {
    if (timeout === undefined) problems.push(`${name} has no "timeout-minutes"`);
    for (const { uses } of steps)
      if (uses !== undefined && !/@[0-9a-f]{40}$/.test(uses) && !uses.startsWith('./'))
        problems.push(`${uses} is not pinned by the id of a commit`);
  }
  return problems;
}
