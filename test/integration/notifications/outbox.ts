import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { createOutboundClient } from '../../../src/hosts/outbound/client.ts';
import { recordAwarded } from '../../../src/recognition/achievements/awards/work-store.ts';
import { saveWebhooks } from '../../../src/recognition/achievements/files/store.ts';
import { type NotificationContext, send } from '../../../src/recognition/notifications/open.ts';
import { findDueReceivers } from '../../../src/recognition/notifications/outbox-store.ts';
import type { Webhook } from '../../../src/recognition/rules/config.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { clock } from '../../time.ts';

/** A repository of `owner` whose settings file requests notifications of awards. */
export interface Awarding {
  ownerId: string;
  repositoryId: string;
  follow(webhooks: readonly Webhook[]): Promise<void>;
  /** Awards an achievement to an account of this name, as the service would. `awardedAt` defaults to just now. */
  award(achievement: string, person?: string, awardedAt?: Date): Promise<{ awardId: string; accountId: string }>;
  rows(): Promise<{ id: string; state: string; attempts: number; error: string | null; webhook: string }[]>;
}

/** @param owner an organization; added when it does not exist. */
export async function prepareAwarding(database: Database, now: () => Date, owner = 'owner'): Promise<Awarding> {
  const { connection, pool } = database;
  const ownerId = await addAccount(database, owner, 'organization');
  const repositoryId = randomUUID();
  await pool.query(
    `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
       listed_at, created_at, updated_at)
     values ($1::uuid, 'github', $1::uuid::text, 'R', $2, 'engine', false, false, now(), now(), now(), now())`,
    [repositoryId, ownerId],
  );
  return {
    ownerId,
    repositoryId,
    follow: (webhooks) => inTransaction(connection, (transaction) => saveWebhooks(transaction, repositoryId, webhooks)),
    award: async (achievement, person = `person-${randomUUID().slice(0, 8)}`, awardedAt = now()) => {
      const accountId = await addAccount(database, person, 'user');
      const { rows } = await pool.query<{ id: string }>(
        `insert into achievements (id, repository_id, name, icon, description, is_current)
         values (gen_random_uuid(), $1, $2, '', '', true)
         on conflict (repository_id, name) do update set icon = '' returning id`,
        [repositoryId, achievement],
      );
      const award = { achievementId: rows[0]?.id ?? '', accountId, awardedAt };
      const added = await inTransaction(connection, (transaction) =>
        recordAwarded(transaction, [award, award], { now: now(), newId: uuidv7 }),
      );
      return { awardId: added[0]?.id ?? '', accountId };
    },
    rows: async () => {
      const found = await pool.query('select id, state, attempts, error, webhook from notifications order by id');
      return found.rows;
    },
  };
}

/** An awarding whose messages are sent only when a test says so. */
export interface Outbox extends Awarding, AsyncDisposable {
  database: Database;
  context: NotificationContext;
  /** The counted outcomes, as `kind outcome`. */
  outcomes: string[];
  dead: string[];
  advance(seconds: number): void;
  /** Sends all messages that are due, as the jobs would. */
  work(): Promise<void>;
}

export async function openOutbox(allowedHosts: readonly string[] = [], open = reuseTestDatabase): Promise<Outbox> {
  const stack = new AsyncDisposableStack();
  const { database } = stack.use(await open());
  const { connection } = database;
  const outbound = createOutboundClient({ allowedHosts: new Set(allowedHosts), allowsHttp: false });
  stack.defer(() => outbound.close());
  const { now, advance } = clock();
  const outcomes: string[] = [];
  const dead: string[] = [];
  const context: NotificationContext = {
    connection,
    outbound,
    providers: new Map(),
    now,
    random: () => 0.5,
    onOutcome: (kind, outcome, count = 1) => {
      for (let index = 0; index < count; index += 1) outcomes.push(`${kind} ${outcome}`);
    },
    onDead: ({ reason, count }) => void dead.push(`${count} ${reason}`),
  };
  return {
    ...(await prepareAwarding(database, now)),
    database,
    context,
    outcomes,
    dead,
    advance,
    work: async () => {
      for (const receiver of await findDueReceivers(connection, now(), 100)) {
        await send(context, receiver, AbortSignal.timeout(30_000));
      }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Awards the only achievement to further people, with the messages of its only award. */
export async function addAwards({ pool }: Pick<Database, 'pool'>, people: number): Promise<void> {
  await pool.query(
    `with people as (
      insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
      select gen_random_uuid(), 'github', 'p' || n, '', 'user', 'person-' || n, now(), now(), now()
      from generate_series(1, $1::integer) n returning id
    ), awarded as (
      insert into awards (id, achievement_id, account_id, repository_name, awarded_at, created_at)
      select gen_random_uuid(), w.achievement_id, p.id, '', now(), now() from awards w cross join people p returning id
    )
    insert into notifications
    select (jsonb_populate_record(n, jsonb_build_object('id', gen_random_uuid(), 'award_id', a.id))).*
    from notifications n cross join awarded a`,
    [people],
  );
}

async function addAccount({ pool }: Database, name: string, type: string): Promise<string> {
  const stored = await pool.query<{ id: string }>('select id from accounts where name = $1', [name]);
  if (stored.rows[0] !== undefined) return stored.rows[0].id;
  const { rows } = await pool.query<{ id: string }>(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
     values (gen_random_uuid(), 'github', $1, $1, $2, $1, now(), now(), now()) returning id`,
    [name, type],
  );
  return rows[0]?.id ?? '';
}
