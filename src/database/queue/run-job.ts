import { inJobSpan } from '../../model/tracing/spans.ts';
import { isDiskFull } from '../connections/full-disk.ts';
import { isDatabaseUnavailable } from '../connections/unavailable.ts';

/** The end of a run of a job. `returned`: the service stopped or the database was away, and the job runs again. */
export type JobOutcome = 'done' | 'failed' | 'returned';

/** Receives the end of each run of a job on this node. */
export type OnJobEnd = (task: string, outcome: JobOutcome, seconds: number) => void;

/** Runs a job, which is among the running ones meanwhile, and reports its end. */
export async function runJob(
  job: { id: string; task: string; signal: AbortSignal | undefined; run: () => Promise<void> },
  { running, onEnd }: { running: { jobs: Set<string> }; onEnd?: OnJobEnd | undefined },
): Promise<void> {
  const { id, task, signal, run } = job;
  const begunAt = performance.now();
  let outcome: JobOutcome = 'failed';
  running.jobs.add(id);
  try {
    await inJobSpan(`job ${task}`, { 'plaudit.job': task }, run);
    outcome = 'done';
  } catch (error) {
    const isAway = isDatabaseUnavailable(error) && !isDiskFull(error);
    if (signal?.aborted === true || isAway) outcome = 'returned';
    throw error;
  } finally {
    running.jobs.delete(id);
    onEnd?.(task, outcome, (performance.now() - begunAt) / 1000);
  }
}
