import { findLostCounts, findUncounted } from '../../../contributions/items/commits-again-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { type FailingJobs, findFailingJobs } from '../../../database/queue/job-counts.ts';
import { countDelayedLookups, type DelayedLookups, maxDelayed } from '../../../database/queue/lookups.ts';
import { counted } from '../../../model/text.ts';
import { ago, type Finding, found, lasting, listed, quoted, utc } from '../finding.ts';
import {
  type DriftedPart,
  type FailingStreams,
  type FaultyInstallations,
  findDrifts,
  findFailingStreams,
  findFaultyInstallations,
  findNames,
  findOverduePolls,
  findSkippedPlaces,
  findWaitingRepositories,
  type SkippedPlaces,
  type WaitingRepositories,
} from '../store.ts';

const causes: Record<DelayedLookups['reason'], { message: string; remedy: string }> = {
  allowance: {
    message: 'for the allowance of the visitors who requested them',
    remedy: 'Nothing, unless these visitors are welcome: then raise LOOKUPS_PER_HOUR or NETWORK_LOOKUPS_PER_HOUR.',
  },
  quota: {
    message: "for a host's quota",
    remedy: 'Add a token of another account, or wait until the quota is renewed.',
  },
};

/** The most groups that a check lists. Further groups often have the same cause, or appear once these are fixed. */
export const maxGroups = 20;

/** The time, in ms, after which a host that cannot be reached is reported. */
const unavailableForMs = 600_000;

/** Checks that every stream of every repository can be read. */
export async function checkStreams(connection: Connection, now: Date): Promise<Finding[]> {
  const failing = await findFailingStreams(connection, maxGroups, new Date(now.getTime() - unavailableForMs));
  if (failing.length > 0) return failing.map(assessStreams);
  return [found('collecting', { severity: 'fine', code: 'streams_read', message: 'No stream of a repository fails.' })];
}

function assessStreams({ provider, stream, code, reason, repositories, names, since }: FailingStreams): Finding {
  const why = reason === null || reason === '' ? '' : `: "${quoted(reason)}"`;
  const when = since === null ? '' : ` since ${utc(since)}`;
  return found('collecting', {
    severity: 'problem',
    code: 'stream_failing',
    subject: `${provider}: ${stream}`,
    message: `This stream of ${named(repositories, names)} cannot be read${when}: ${streamFailures[code]?.cause ?? code}${why}.`,
    remedy: streamFailures[code]?.remedy ?? 'The log of the service says more.',
    since,
    count: repositories,
  });
}

const streamFailures: Record<string, { cause: string; remedy: string } | undefined> = {
  provider_denied: {
    cause: 'the host denies it',
    remedy: 'Give the token or the App the permission to read it, or have the organization let it in.',
  },
  provider_invalid_response: {
    cause: 'the response of the host cannot be used',
    remedy:
      'Nothing, if the history is too large. Otherwise, update the service; if that does not help, report it with the version of the host.',
  },
  provider_unavailable: {
    cause: 'the host does not respond',
    remedy: 'Check that this machine reaches the host, also by git; the service then goes on by itself.',
  },
  not_found: {
    cause: 'the host has no such part',
    remedy: 'Nothing, if it is switched off there. Otherwise, give the token or the App the permission to read it.',
  },
};

/** Checks whether collecting an account waits for something. */
export async function checkWaiting(connection: Connection, now: Date): Promise<Finding[]> {
  const waiting = await findWaitingRepositories(connection, now);
  if (waiting.length > 0) return waiting.map((group) => assessWaiting(group, now));
  return [
    found('collecting', { severity: 'fine', code: 'repositories_read', message: 'No repository waits to be read.' }),
  ];
}

const waits: Record<WaitingRepositories['reason'], { cause: string; remedy: string }> = {
  quota: {
    cause: 'the rest of the quota is kept for others',
    remedy: 'Nothing, or add a token of another account: the service goes on by itself.',
  },
  allowance: {
    cause: 'the visitors who requested them have used up their allowance',
    remedy: 'Nothing, unless these visitors are welcome: then raise LOOKUPS_PER_HOUR or NETWORK_LOOKUPS_PER_HOUR.',
  },
  unreachable: {
    cause: 'the host does not respond',
    remedy: 'Check that this machine reaches the host; the service tries again with the next request.',
  },
  refused: {
    cause: 'the host denies access',
    remedy: 'Give the token or the App the permission to read them, or have the organization let it in.',
  },
};

function assessWaiting(waiting: WaitingRepositories, now: Date): Finding {
  const { provider, reason, accounts, repositories, names, until, since } = waiting;
  const { cause, remedy } = waits[reason];
  const what = repositories === 0 ? 'The repositories' : counted(repositories, 'repository', 'repositories');
  const when = `${since === null ? '' : ` since ${utc(since)}`}${until > now ? `, until ${utc(until)}` : ''}`;
  const isOver = (since?.getTime() ?? now.getTime()) > now.getTime() - unavailableForMs;
  return found('collecting', {
    severity: since === null || (reason === 'unreachable' && isOver) ? 'hint' : 'problem',
    code: 'repositories_waiting',
    subject: `${provider}: ${reason}`,
    message: `${what} of ${named(accounts, names)} ${repositories === 1 ? 'waits' : 'wait'} to be read${when}: ${cause}.`,
    remedy,
    since: since ?? until,
    count: repositories,
  });
}

/** Checks whether any item, or a field of one, was skipped. */
export async function checkSkipped(connection: Connection, now: Date): Promise<Finding[]> {
  const skipped = await findSkippedPlaces(connection, maxGroups);
  if (skipped.length > 0) return skipped.map((place) => assessSkipped(place, now));
  return [found('collecting', { severity: 'fine', code: 'items_stored', message: 'No item was skipped.' })];
}

/**
 * Reports as a problem only items that are not stored because the service cannot read them. A missing field, or an item
 * that the host refuses, is a hint.
 */
function assessSkipped(skipped: SkippedPlaces, now: Date): Finding {
  const { provider, stream, kind, reason, path, isStored, items, places, names, explanation, lastAt } = skipped;
  const isUnreadable = reason === 'unreadable';
  const skippedItems = `${counted(items, 'item')} of the kind ${kind} in ${named(places, names)}`;
  const verb = items === 1 ? 'is' : 'are';
  const cause = isUnreadable ? 'the service cannot read' : 'the host refuses';
  const fate = isStored
    ? `${verb} stored without ${quoted(path)}, which ${cause}`
    : `${verb} left out: ${cause} ${quoted(path)}`;
  const hostMessage = explanation === '' ? '' : ` ("${quoted(explanation)}")`;
  return found('collecting', {
    severity: isUnreadable && !isStored ? 'problem' : 'hint',
    code: 'items_skipped',
    subject: `${provider}: ${stream}`,
    message: `${skippedItems} ${fate}${hostMessage}; last seen ${ago(lastAt, now)}.`,
    remedy: isUnreadable
      ? 'Update the service; if that does not help, report the place and the version of the host.'
      : 'Nothing, or more permissions for the credential: this credential may not see it.',
    since: lastAt,
    count: items,
  });
}

/** Checks whether commits of stored histories are counted for all their people. */
export async function checkCounts(connection: Connection): Promise<Finding[]> {
  const lost = await findLostCounts(connection, maxGroups);
  const waiting = await findUncounted(connection, maxGroups);
  const findings: Finding[] = [];
  if (lost.length > 0) {
    findings.push(
      found('collecting', {
        severity: 'problem',
        code: 'commits_uncounted',
        message: `Commits of ${namedFirst(await findNames(connection, lost))} are not counted for all their people, although nothing is missing there.`,
        remedy: 'Nothing: the service counts them again in the next night. If this recurs, report it.',
        count: lost.length,
      }),
    );
  }
  if (waiting.length > 0) {
    findings.push(
      found('collecting', {
        severity: 'hint',
        code: 'commits_uncounted',
        message: `Commits of ${namedFirst(
          await findNames(
            connection,
            waiting.map(({ id }) => id),
          ),
        )} wait for a job that counts them again; until then they are listed as missing.`,
        remedy: 'Nothing, unless it lasts for hours: then the log says why their histories cannot be read.',
        count: waiting.length,
      }),
    );
  }
  if (findings.length > 0) return findings;
  const message = 'All commits are counted for all their people.';
  return [found('collecting', { severity: 'fine', code: 'commits_counted', message })];
}

function namedFirst(names: readonly string[]): string {
  return named(names.length, names.slice(0, 3));
}

const driftShownMs = 7 * 86_400_000;

/** Checks whether the nightly comparison found differences between stored data and hosts. */
export async function checkDrift(connection: Connection, now: Date): Promise<Finding[]> {
  const drifts = await findDrifts(connection, new Date(now.getTime() - driftShownMs), maxGroups);
  if (drifts.length > 0) return drifts.map((drift) => assessDrift(drift, now));
  const message = 'No comparison of the last 7 days found a difference to a host.';
  return [found('collecting', { severity: 'fine', code: 'data_agrees', message })];
}

function assessDrift(drift: DriftedPart, now: Date): Finding {
  const { provider, part, isRepaired, repositories, name, expected, found: stored, lastAt } = drift;
  const difference =
    part === 'sums'
      ? `${counted(stored, 'total')} of ${name} ${stored === 1 ? 'was' : 'were'} counted wrong`
      : `${name} has ${expected.toLocaleString('en')} ${part} at the host, and ${stored.toLocaleString('en')} were stored`;
  const others =
    repositories === 1
      ? ''
      : ` The same holds for ${counted(repositories - 1, 'other repository', 'other repositories')}.`;
  return found('collecting', {
    severity: isRepaired ? 'hint' : 'problem',
    code: 'drift',
    subject: `${provider}: ${part}`,
    message: `${difference} (${ago(lastAt, now)}${isRepaired ? ', repaired' : ', not repaired'}).${others}`,
    remedy: isRepaired
      ? 'Nothing, unless it recurs every night: then report it.'
      : `Run plaudit sync ${provider}/${name}; if the difference stays, report it.`,
    since: lastAt,
    count: repositories,
  });
}

/** The time, in ms, after which a due poll is overdue; until then it may wait for other polls and for the quota. */
const overdueAfterMs = 2 * 3_600_000;

/** Checks that installed repositories are polled in time. */
export async function checkPolls(connection: Connection, providers: readonly string[], now: Date): Promise<Finding[]> {
  const before = new Date(now.getTime() - overdueAfterMs);
  const { repositories, oldestAt, name, installed } = await findOverduePolls(connection, providers, before);
  if (repositories === 0 || oldestAt === null) {
    const message = `${counted(installed, 'installed repository', 'installed repositories')} ${installed === 1 ? 'is' : 'are'} polled in time.`;
    return [found('collecting', { severity: 'fine', code: 'polls_done', message, count: installed })];
  }
  return [
    found('collecting', {
      severity: 'problem',
      code: 'polls_overdue',
      message: `${counted(repositories, 'installed repository', 'installed repositories')} of ${installed} ${repositories === 1 ? 'waits' : 'wait'} to be polled, ${name} for ${lasting(now.getTime() - oldestAt.getTime())}.`,
      remedy: 'Start the service. If it runs: its quota is used up, or its log says why polls fail.',
      since: oldestAt,
      count: repositories,
    }),
  ];
}

/** Finds installations of the App that are suspended or lack permissions; there is no finding when all is fine. */
export async function checkInstallations(connection: Connection): Promise<Finding[]> {
  return (await findFaultyInstallations(connection, maxGroups)).map(assessInstallations);
}

function assessInstallations({ provider, isSuspended, missing, installations, names }: FaultyInstallations): Finding {
  const accounts = `${listed(names)}${installations > names.length ? ` and ${counted(installations - names.length, 'other')}` : ''}`;
  if (isSuspended) {
    return found('hosts', {
      severity: 'hint',
      code: 'installation_suspended',
      subject: provider,
      message: `${accounts} suspended the App: their private data is hidden.`,
      remedy: 'Nothing, unless they want it back: then they unsuspend it at the host.',
      count: installations,
    });
  }
  return found('hosts', {
    severity: 'problem',
    code: 'installation_lacks_permission',
    subject: provider,
    message: `${accounts} gave the App no permission to read ${listed(missing.map((name) => name.replaceAll('_', ' ')))}.`,
    remedy: 'Have them accept the new permissions of the App, in the settings of its installation at the host.',
    count: installations,
  });
}

function named(count: number, names: readonly string[]): string {
  const others = count - names.length;
  return others > 0 ? `${names.join(', ')} and ${counted(others, 'other')}` : listed(names);
}

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

/** Checks whether lookups of new names are delayed, and whether their queue is full. */
export async function checkLookups(connection: Connection, now: Date): Promise<Finding[]> {
  const delayed = await countDelayedLookups(connection, now);
  if (delayed.length === 0) {
    return [
      found('collecting', { severity: 'fine', code: 'lookups_prompt', message: 'No lookup of a new name is delayed.' }),
    ];
  }
  const isFull = delayed.reduce((sum, { count }) => sum + count, 0) >= maxDelayed;
  return delayed.map((lookups) => assessDelayed(lookups, isFull));
}

function assessDelayed({ reason, count, lastAt }: DelayedLookups, isFull: boolean): Finding {
  const { message, remedy } = causes[reason];
  const limit = isFull ? ` The queue is full: further names are not looked up before it has a place.` : '';
  return found('collecting', {
    severity: isFull ? 'problem' : 'hint',
    code: 'lookups_delayed',
    subject: reason,
    message: `${counted(count, 'lookup')} of new names ${count === 1 ? 'waits' : 'wait'} ${message}, until ${utc(lastAt)}.${limit}`,
    remedy,
    since: lastAt,
    count,
  });
}
