import type { Connection } from '../../../database/connections/connection.ts';
import { countDelayedLookups, type DelayedLookups } from '../../../database/queue/delayed-lookups.ts';
import { maxDelayed } from '../../../database/queue/lookups.ts';
import { counted } from '../../../model/text/counted.ts';
import { type Finding, found } from '../finding.ts';
import { utc } from '../words.ts';

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
