import { Type } from 'typebox';
import type { Connection } from '../../../database/connections/connection.ts';
import { addJob } from '../../../database/queue/added-jobs.ts';
import { formatTimestamp, OptionalTimestampSchema } from '../../../http/pipeline/envelope.ts';
import type { Account } from '../../../model/account.ts';
import { checkAdministratorJob } from '../../jobs.ts';
import { assessHolding, type Holding, holdingStates } from './holding.ts';
import type { Person } from './store.ts';

/** The fields by which lists of keys and links show the holder. */
export const holderFields = {
  registered_by: Type.Union([Type.Null(), Type.String()], {
    description: 'The holder, `PROVIDER/NAME` at the registration; null: not known.',
  }),
  confirmed_dttm: OptionalTimestampSchema(
    'When the code host last confirmed that the holder administers the account; null: nothing has to be confirmed.',
  ),
  state: Type.Enum([...holdingStates], {
    description:
      '`suspended`: the code host has not confirmed the holder for 7 days; it works again with the next confirmation. ' +
      '`ended`: for good, unless an administrator renews it.',
  }),
  ends_dttm: OptionalTimestampSchema('When it ends unless it is renewed, or when it ended; null: it has no such time.'),
};

export function presentHolder(holding: Holding, now: Date): object {
  const { state, endsAt } = assessHolding(holding, now);
  const confirmedAt = holding.confirmation?.confirmedAt;
  return {
    registered_by: holding.holderName,
    confirmed_dttm: confirmedAt === undefined ? null : formatTimestamp(confirmedAt),
    state,
    ends_dttm: endsAt && formatTimestamp(endsAt),
  };
}

/** Queues a check of the holder of a new key or link, so that the owner soon sees whether the service can check. */
export async function requestCheck(
  transaction: Connection,
  { type, provider }: Account,
  person: Person | null,
): Promise<void> {
  if (type !== 'organization' || person === null) return;
  await addJob(transaction, checkAdministratorJob({ provider, person: person.id }));
}
