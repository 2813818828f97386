import {
  findInstallationCredential,
  type PollDemand,
  type QuotaUsers,
  sumPollDemand,
} from '../../accounts/installations/owner-poll-store.ts';
import { findPoll, findReportedChange, hastenPoll } from '../../accounts/repositories/poll-store.ts';
import type { Repository } from '../../accounts/repositories/store.ts';
import type { Provider } from '../../hosts/interface/provider.ts';
import type { SyncContext } from '../context.ts';

/** Computes how often installed repositories are polled one by one. */
const hourMs = 3_600_000;

/** The limits of the interval of a repository, in ms: of one that has just changed, and of one without changes. */
export const pollLimitsMs = { shortest: 300_000, longest: 24 * hourMs };
/**
 * The wanted interval is this part of the time since the last change, so that each poll without a change is followed by
 * an interval that is half as long again.
 */
export const partOfAge = 1 / 3;

/** The repositories that are polled with the same quota. */
interface PollLoad {
  repositories: number;
  /** The polls of all of them in an hour, if each had the interval that it wants. */
  wantedPerHour: number;
  /** The polls in an hour for which the quota may be used. */
  pollsPerHour: number;
}

/** Schedules the polls of single repositories by the quota that they use. */

/** The time, in ms, after a change within which another change makes a repository no more active. */
const activeForMs = pollLimitsMs.shortest / partOfAge;

/** The time, in ms, for which a sum over the repositories of a quota is used again, because it reads all of them. */
const demandForMs = 60_000;

type ScheduleContext = Pick<SyncContext, 'connection' | 'now' | 'pollDemands'>;

/** A repository with its provider. */
interface Polled {
  provider: Provider;
  repository: Repository;
}

/**
 * Returns the name of the credential of the app's installation with which a repository is polled, so that it uses the
 * quota of its owner; undefined: its own credential, or any configured token.
 */
export async function findPollCredential(
  { connection }: ScheduleContext,
  { provider, repository }: Polled,
): Promise<string | undefined> {
  if (provider.app === undefined) return undefined;
  return (await findInstallationCredential(connection, repository.id)) ?? undefined;
}

/** Returns the interval, in ms, until the next poll of a repository that last changed at `changedAt`, if ever. */
export async function findPollInterval(
  context: ScheduleContext,
  polled: Polled,
  changedAt: Date | null,
): Promise<number> {
  const now = context.now();
  const perHour = polled.provider.polls?.repositories.perHour ?? 1;
  const wantedMs = wantedIntervalMs(changedAt && now.getTime() - changedAt.getTime());
  let longest = 0;
  for (const { users, quotas } of await findQuotas(context, polled)) {
    const demand = await findDemand(context, users, now);
    const load = {
      repositories: Math.max(demand.repositories, 1),
      // The sum includes the earlier wish of the repository as well, so that it is rather too high.
      wantedPerHour: demand.wantedPerHour + 3_600_000 / wantedMs,
      pollsPerHour: quotas * perHour,
    };
    longest = Math.max(longest, pollIntervalMs(wantedMs, load));
  }
  return longest;
}

async function findDemand(
  { connection, pollDemands }: ScheduleContext,
  users: QuotaUsers,
  now: Date,
): Promise<PollDemand> {
  const key = JSON.stringify(users);
  const known = pollDemands.get(key);
  if (known !== undefined && now.getTime() < known.readAt + demandForMs) return known.demand;
  const demand = await sumPollDemand(connection, users, { wanted: { ...pollLimitsMs, partOfAge }, now });
  pollDemands.set(key, { demand, readAt: now.getTime() });
  return demand;
}

/** Returns the quotas that polls of a repository use; each of them limits how often it is polled. */
async function findQuotas(context: ScheduleContext, polled: Polled): Promise<{ users: QuotaUsers; quotas: number }[]> {
  const { ownerId, credentialName } = polled.repository;
  const { name, app, polls } = polled.provider;
  const installation = await findPollCredential(context, polled);
  if (installation !== undefined) return [{ users: { installation, ownerId }, quotas: 1 }];
  const all = { users: { provider: name, hasApp: app !== undefined }, quotas: polls?.repositories.quotas ?? 1 };
  // Only one of the tokens shows a private repository.
  return credentialName === null ? [all] : [all, { users: { provider: name, token: credentialName }, quotas: 1 }];
}

/**
 * Brings the next poll of a repository forward when its provider has reported a change after a time without any,
 * because reactions to it are not reported.
 */
export async function hastenAfterChange(context: ScheduleContext, polled: Polled): Promise<void> {
  const { connection, now } = context;
  const { id } = polled.repository;
  const poll = await findPoll(connection, id);
  const reportedAt = await findReportedChange(connection, id);
  if (poll === undefined || reportedAt === null) return;
  if (reportedAt.getTime() < (poll.changedAt?.getTime() ?? 0) + activeForMs) return;
  const intervalMs = await findPollInterval(context, polled, reportedAt);
  const nextAt = new Date(now().getTime() + intervalMs);
  await hastenPoll(connection, id, { intervalMs, changedAt: reportedAt, nextAt });
}

/** Returns the interval, in ms, that a repository wants. @param ageMs the time since its last change; null: none is known. */
export function wantedIntervalMs(ageMs: number | null): number {
  const { shortest, longest } = pollLimitsMs;
  return ageMs === null ? longest : Math.min(Math.max(ageMs * partOfAge, shortest), longest);
}

/**
 * Returns the interval, in ms, that a repository gets. Each gets one poll in the longest interval, for which at most half
 * of the quota is used; the rest is divided in proportion to what the repositories want beyond that.
 */
export function pollIntervalMs(wantedMs: number, { repositories, wantedPerHour, pollsPerHour }: PollLoad): number {
  const least = Math.min(hourMs / pollLimitsMs.longest, pollsPerHour / 2 / repositories);
  const left = pollsPerHour - repositories * least;
  const excess = wantedPerHour - repositories * least;
  const share = excess <= left ? 1 : left / excess;
  return hourMs / (least + (hourMs / wantedMs - least) * share);
}
