import type { RecordedResponse } from './recordings.ts';

/** Returns a recorded response as of an earlier moment of the recorded minute, by the times in it. */
export function asOf({ status, headers, body }: RecordedResponse, moment: Date): RecordedResponse {
  if (!Array.isArray(body)) return { status, headers, body: entryAsOf(body, moment) };
  const entries = body.filter((entry) => toStart(entry) <= moment).map((entry) => entryAsOf(entry, moment));
  const total = headers['x-total-count'];
  const count = total === undefined ? {} : { 'x-total-count': String(Number(total) - (body.length - entries.length)) };
  return { status, headers: { ...headers, ...count }, body: entries };
}

function toStart(entry: unknown): Date {
  const { created_at, submitted_at, created } = Object(entry) as Record<string, string | undefined>;
  return new Date(created_at ?? submitted_at ?? created ?? 0);
}

/** @throws Error for an item that was closed later, because the recording does not show its earlier state. */
function entryAsOf(entry: unknown, moment: Date): unknown {
  const { updated_at: updatedAt, closed_at: closedAt } = Object(entry) as Record<string, string | null | undefined>;
  if (closedAt && new Date(closedAt) > moment)
    throw new Error(`the recording lacks the earlier state of an item that was closed at ${closedAt}`);
  if (!updatedAt || new Date(updatedAt) <= moment) return entry;
  return { ...(entry as object), updated_at: moment.toISOString().replace('.000', '') };
}
