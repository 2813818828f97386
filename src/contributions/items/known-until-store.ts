import { sql } from 'kysely';

/**
 * The time between a change and the moment at which every response of a provider shows it, and the difference of its clock
 * to that of this service.
 */
const shownWithin = sql`interval '5 minutes'`;

/**
 * SQL for the time before which all changes of the stream `s` of the repository `r` are stored. A stream in which a
 * listing shows nothing new is not read again, so the last listing after which the repository was collected counts as
 * well. It does not count while a change is reported that is still to be read, nor where listings say nothing about the
 * stream.
 */
export const knownUntil = sql<Date | null>`greatest(s.known_until, case
  when r.collected_at is not null and s.completed_at is not null and s.scan_started_at is null and s.failure is null and s.withheld_at is null
    and (s.invalidated_at is null or s.invalidated_at < s.known_until)
    and (s.full_scan_wanted_at is null or s.full_scan_wanted_at < s.full_scan_at)
    and case
      when s.provider_revision is not null then s.provider_revision = s.cursor
      when s.provider_changed_at is not null then s.provider_changed_at < s.known_until
      else s.provider_total = 0
    end
  then least(r.collected_at, r.listed_at) - ${shownWithin} end)`;
