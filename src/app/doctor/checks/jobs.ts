import type { Connection } from '../../../database/connections/connection.ts';
import { type FailingJobs, findFailingJobs } from '../../../database/queue/failing-jobs.ts';
import { counted } from '../../../model/text/counted.ts';
import { type Finding, found } from '../finding.ts';
import { ago, quoted } from '../words.ts';
import { maxGroups } from './collecting.ts';

/** Checks whether jobs fail. */
export async function checkJobs(connection: Connection, now: Date): Promise<Finding[]> {
  const failing = await findFailingJobs(connection, maxGroups);
  if (failing.length > 0) return failing.map((jobs) => assessJobs(jobs, now));
  return [found('jobs', { severity: 'fine', code: 'jobs_done', message: 'No job fails.' })];
}

/** Returns the finding about failing jobs of a task: a hint after one failure, because the next attempt may succeed. */
function assessJobs({ task, count, givenUp, attempts, example, lastAt }: FailingJobs, now: Date): Finding {
  const key = example.key === null ? '' : ` (${quoted(example.key)})`;
  const state =
    givenUp === 0
      ? 'they are tried again'
      : `${counted(givenUp, 'job')} of them ${givenUp === 1 ? 'is' : 'are'} given up`;
  return found('jobs', {
    severity: attempts > 1 || givenUp > 0 ? 'problem' : 'hint',
    code: 'jobs_failing',
    subject: task,
    message: `${counted(count, 'job')} failed, up to ${counted(attempts, 'time')}, the last one ${ago(lastAt, now)}${key}; ${state}: ${quoted(example.error)}`,
    remedy: 'The log of the service says more. If it is a fault of the service, report it.',
    since: lastAt,
    count,
  });
}
