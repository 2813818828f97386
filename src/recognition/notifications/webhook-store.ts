import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { receiverOf, targetOf, type Webhook } from './notification.ts';

/**
 * Replaces the stored webhooks of a repository by those that its file names now. Messages that wait already stay. Must
 * run in a transaction.
 */
export async function saveWebhooks(
  transaction: Connection,
  repositoryId: string,
  webhooks: readonly Webhook[],
): Promise<void> {
  await transaction.deleteFrom('repository_webhooks').where('repository_id', '=', repositoryId).execute();
  if (webhooks.length === 0) return;
  const { provider } = await transaction
    .selectFrom('repositories')
    .select('provider')
    .where('id', '=', repositoryId)
    .executeTakeFirstOrThrow();
  const rows = webhooks.map((webhook) => {
    const target = targetOf(webhook);
    const receiver = receiverOf(provider, webhook.type, target);
    return { name: webhook.name, kind: webhook.type, target, receiver, achievements: webhook.achievements };
  });
  await sql`
    insert into repository_webhooks (repository_id, name, kind, target, receiver, achievements)
    select ${repositoryId}, name, kind, target, receiver, array(select jsonb_array_elements_text(achievements))
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as r (name text, kind text, target jsonb, receiver text, achievements jsonb)`.execute(transaction);
}
