import type { Job } from '../../src/database/queue/added-jobs.ts';
import type { ObservedHost } from './observed-host.ts';
import type { Row } from './snapshot.ts';

/** The service reads everything for the first time, or all of it again after some hours. */
export type Stage = 'first' | 'again';

/** A part of a run. */
export type Step =
  | { does: 'look up'; name: string; afterS: number }
  | { does: 'install' | 'collect'; name: string }
  | { does: 'refresh' | 'poll' | 'compare'; id: string }
  | { does: 'want details' | 'want scans' | 'poll installed' };

/** The state of a run between two steps, apart from that of the database. */
export interface Progress {
  /** The steps to take; some of them lead to others. */
  steps: readonly Step[];
  requests: number;
  jobs: number;
  /** Exceptions that no response of a host may cause, each once, and limits of the work that the run reached. */
  faults: readonly string[];
  /** Failures of a host's responses that the service writes into its log. */
  logged: readonly Row[];
  /** The number of steps that were taken. */
  taken: number;
  /** The states of the credentials. What else a process remembers of responses is not compared: see the README. */
  credentials: readonly string[];
}

const minuteS = 60;

/** Returns the state of a run before its first step. */
export function beginning({ world }: ObservedHost, stage: Stage): Progress {
  const { people, organization, hidden } = world;
  const persons = [people.ada, people.olive, people.max, people.deleted, hidden].map(({ login }) => login);
  const first: Step[] = [
    // A minute apart: otherwise the searches for one account would take the quota of those for the next.
    ...[organization.login, ...persons].map(
      (name, index): Step => ({ does: 'look up', name, afterS: index * minuteS }),
    ),
    { does: 'install', name: organization.login },
    ...persons.map((name): Step => ({ does: 'collect', name })),
    { does: 'want details' },
  ];
  const steps: Step[] = stage === 'first' ? first : [{ does: 'want scans' }];
  // The timers poll installed repositories, and compare their totals.
  return {
    steps: [...steps, { does: 'poll installed' }],
    requests: 0,
    jobs: 0,
    faults: [],
    logged: [],
    taken: 0,
    credentials: [],
  };
}

/** Returns the job that compares the totals of a repository with those of its host. */
export function reconcileJob(repositoryId: string): Job {
  return {
    task: 'reconcile_repository',
    payload: { repositoryId },
    key: `reconcile ${repositoryId}`,
    priority: 50,
  };
}

/** Returns an id that only this step of a stage makes. */
export function toId(stage: Stage, step: number, number: number): string {
  const [ofStep, ofNumber] = [step, number].map((part) => part.toString(16));
  return `${stage === 'first' ? '0' : 'a'}0000000-${ofStep?.padStart(4, '0')}-7000-8000-${ofNumber?.padStart(12, '0')}`;
}
