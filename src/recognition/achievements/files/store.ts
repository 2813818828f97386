import { sql } from 'kysely';
import { changeNeeds } from '../../../contributions/items/detail-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import type { Detail } from '../../../model/contribution.ts';
import { toReceiver, toTarget } from '../../notifications/notification.ts';
import type { Checked } from '../../rules/conditions/terms.ts';
import type { Achievement, Config, Webhook } from '../../rules/config.ts';
import { requestFileCheck } from '../../rules/file/check-store.ts';
import type { Report } from '../../rules/file/report.ts';
import type { ReadFile } from './achievement-files.ts';

/** The stored state of a repository's file of achievements, without its text. */
interface FollowedFile {
  /** The newest commit of the default branch when the file was read; null when there was none. */
  revision: string | null;
  readAt: Date;
  /** True when the repository had a file. */
  isPresent: boolean;
}

export async function findFollowed(connection: Connection, repositoryId: string): Promise<FollowedFile | undefined> {
  const row = await connection
    .selectFrom('achievement_files')
    .select(['revision', 'read_at', 'path'])
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return row && { revision: row.revision, readAt: row.read_at, isPresent: row.path !== null };
}

/**
 * Stores a repository's file with its achievements and webhooks. Achievements that the file no longer defines stay,
 * with their awards, but are not evaluated any more. A changed file queues the evaluation of all accounts.
 * @param read.file undefined when the repository has none.
 * @param read.isNew true when all accounts have to be evaluated even if the file is unchanged.
 */
export async function saveFile(
  transaction: Connection,
  repositoryId: string,
  read: { file: ReadFile | undefined; revision: string | null; readAt: Date; isNew: boolean; newId: () => string },
): Promise<void> {
  const { file, revision, readAt } = read;
  const before = await transaction
    .selectFrom('achievement_files')
    .select(['path', 'oid'])
    .where('repository_id', '=', repositoryId)
    .forUpdate()
    .executeTakeFirst();
  const row = {
    revision,
    path: file?.path ?? null,
    oid: file?.oid ?? null,
    text: storable(file?.text ?? ''),
    reports: JSON.stringify((file?.reports ?? []).map(storableReport)),
    read_at: readAt,
  };
  await transaction
    .insertInto('achievement_files')
    .values({ repository_id: repositoryId, ...row })
    .onConflict((conflict) => conflict.column('repository_id').doUpdateSet(row))
    .execute();
  await saveAchievements(transaction, repositoryId, file?.config.achievements ?? [], read.newId);
  await changeNeeds(transaction, repositoryId, file === undefined ? [] : listNeeds(file.config));
  await saveWebhooks(transaction, repositoryId, (file?.config.webhooks ?? []).map(storableWebhook));
  const isSame = before?.oid === row.oid && before.path === row.path;
  if (row.path !== null && !isSame) await requestFileCheck(transaction, repositoryId);
  if (row.path !== null && (read.isNew || !isSame)) await requestFullEvaluation(transaction, repositoryId);
}

async function saveAchievements(
  transaction: Connection,
  repositoryId: string,
  achievements: readonly Achievement[],
  newId: () => string,
): Promise<void> {
  const byName = new Map(achievements.map((achievement) => [storable(achievement.name), achievement]));
  const rows = [...byName].map(([name, { icon, description, evaluateAt }]) => ({
    id: newId(),
    name,
    icon: storable(icon),
    description: storable(description),
    evaluate_at: evaluateAt,
  }));
  await sql`
    insert into achievements as a (id, repository_id, name, icon, description, evaluate_at, is_current)
    select id, ${repositoryId}, name, icon, description, evaluate_at, true
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as file (id uuid, name text, icon text, description text, evaluate_at timestamptz)
    order by name
    on conflict (repository_id, name) do update set
      icon = excluded.icon, description = excluded.description, evaluate_at = excluded.evaluate_at, is_current = true,
      evaluated_at = case
        when a.evaluate_at is not distinct from excluded.evaluate_at then a.evaluated_at end`.execute(transaction);
  await sql`
    update achievements set is_current = false
    where repository_id = ${repositoryId} and is_current
      and name <> all(${rows.map(({ name }) => name)}::text[])`.execute(transaction);
}

/** Adds work that evaluates all accounts for all achievements of a repository. */
export async function requestFullEvaluation(connection: Connection, repositoryId: string): Promise<void> {
  await sql`
    insert into pending_evaluations (repository_id)
    select repository_id from achievement_files
    where repository_id = ${repositoryId} and path is not null`.execute(connection);
}

/** Makes a text storable: PostgreSQL stores no NUL, and no half of a surrogate pair. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

function storableWebhook(webhook: Webhook): Webhook {
  const named = { name: storable(webhook.name), achievements: webhook.achievements.map(storable) };
  return webhook.type === 'github'
    ? { ...webhook, ...named, title: storable(webhook.title) }
    : { ...webhook, ...named, url: storable(webhook.url) };
}

function storableReport(report: Report): Report {
  const { message, expected, suggestion } = report;
  return {
    ...report,
    message: storable(message),
    expected: expected && storable(expected),
    suggestion: suggestion && storable(suggestion),
  };
}

/** Returns the details that the conditions of a file need, out of those that are collected only on demand. */
function listNeeds({ achievements, pointActions }: Pick<Config, 'achievements' | 'pointActions'>): Detail[] {
  const triggers = [
    ...achievements.flatMap((achievement) => achievement.triggers.flat()),
    ...pointActions.flatMap(({ rules }) => rules),
  ];
  const needs = new Set<Detail>();
  for (const { action, condition } of triggers) {
    const fields = fieldsIn(condition);
    if (action === 'commit' && ['additions', 'deletions', 'changed_files'].some((field) => fields.has(field))) {
      needs.add('commit_lines');
    }
    if (action === 'commit' && fields.has('files')) needs.add('commit_files');
    if (action === 'pull_request' && fields.has('files')) needs.add('pull_request_files');
  }
  return [...needs].toSorted();
}

function fieldsIn(condition: Checked): Set<string> {
  if ('terms' in condition) return new Set(condition.terms.flatMap((term) => [...fieldsIn(term)]));
  if (condition.kind === 'count') return condition.condition === null ? new Set() : fieldsIn(condition.condition);
  return new Set('field' in condition ? [condition.field] : []);
}

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
    const target = toTarget(webhook);
    const receiver = toReceiver(provider, webhook.type, target);
    return { name: webhook.name, kind: webhook.type, target, receiver, achievements: webhook.achievements };
  });
  await sql`
    insert into repository_webhooks (repository_id, name, kind, target, receiver, achievements)
    select ${repositoryId}, name, kind, target, receiver, array(select jsonb_array_elements_text(achievements))
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as r (name text, kind text, target jsonb, receiver text, achievements jsonb)`.execute(transaction);
}
