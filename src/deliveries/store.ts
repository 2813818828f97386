import type { Connection } from '../database/connection.ts';
import { addJob } from '../database/queue.ts';
import type { Change, Delivery } from '../providers/provider.ts';

/** Keeps a delivery until it is applied, with the job that does; one that came before is the same one. */
export async function saveDelivery(
  connection: Connection,
  provider: string,
  delivery: Delivery,
  now: Date,
): Promise<'new' | 'known'> {
  return connection.transaction().execute(async (transaction) => {
    const saved = await transaction
      .insertInto('deliveries')
      .values({
        provider,
        id: delivery.id,
        event: delivery.event,
        changes: JSON.stringify(delivery.changes),
        received_at: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute();
    if (saved.length === 0) return 'known';
    const key = `apply_delivery ${provider} ${delivery.id}`;
    await addJob(transaction, { task: 'apply_delivery', payload: { provider, id: delivery.id }, key, priority: 5 });
    return 'new';
  });
}

/** The changes of a delivery that is not applied yet; nobody else applies it before the transaction ends. */
export async function findUnapplied(
  transaction: Connection,
  provider: string,
  id: string,
): Promise<readonly Change[] | undefined> {
  const row = await transaction
    .selectFrom('deliveries')
    .select('changes')
    .where('provider', '=', provider)
    .where('id', '=', id)
    .where('applied_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  return row?.changes;
}

export async function markApplied(transaction: Connection, provider: string, id: string, now: Date): Promise<void> {
  await transaction
    .updateTable('deliveries')
    .set({ applied_at: now, changes: '[]' })
    .where('provider', '=', provider)
    .where('id', '=', id)
    .execute();
}

/** Forgets deliveries that were applied; a repetition after so long is applied again, which changes nothing. */
export async function forgetDeliveries(connection: Connection, before: Date): Promise<void> {
  await connection
    .deleteFrom('deliveries')
    .where('received_at', '<', before)
    .where('applied_at', 'is not', null)
    .execute();
}
