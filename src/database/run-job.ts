import { inJobSpan } from '../tracing/spans.ts';

/** The end of a run of a job. `returned`: the service stopped, and the job runs again. */
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
  let hasSucceeded = false;
  running.jobs.add(id);
  try {
    await inJobSpan(`job ${task}`, { 'plaudit.job': task }, run);
    hasSucceeded = true;
  } finally {
    running.jobs.delete(id);
    const failure = signal?.aborted === true ? 'returned' : 'failed';
    onEnd?.(task, hasSucceeded ? 'done' : failure, (performance.now() - begunAt) / 1000);
  }
}
