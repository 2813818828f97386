import { sql } from 'kysely';
import { isPresentInSql } from '../../../accounts/repositories/present-store.ts';
import { collectRepositoryJob } from '../../../contributions/items/jobs.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { addJob } from '../../../database/queue/added-jobs.ts';
import { fieldError } from '../../../model/errors.ts';
import { nearest } from '../../../model/text.ts';
import type { CheckedFile } from '../../rules/file/check-store.ts';
import type { Board } from '../board.ts';
import { readDefinition, saveBoards } from '../board-store.ts';
import { type ReadBoardsFile, readBoardsFile } from './read-file.ts';

/**
 * Returns whether the file of boards of an account may be in a repository: in the one that the owner chose, otherwise
 * in `.github` or in the only one that defines achievements.
 */
export async function mayHoldBoards(connection: Connection, repositoryId: string): Promise<boolean> {
  const { rows } = await sql<{ place: number | null }>`
    select ${placeInSql} as place from repositories r join accounts o on o.id = r.owner_id
    where r.id = ${repositoryId} and r.installed_at is not null and ${isPresentInSql('r')}`.execute(connection);
  return (rows[0]?.place ?? null) !== null;
}

/**
 * Requires that an owner can choose a repository for the file of boards: the service has to be installed there.
 * @throws AppError `invalid_input`, which names the nearest repository.
 */
export async function requireReadableRepository(
  connection: Connection,
  ownerId: string,
  { field, name }: { field: string; name: string },
): Promise<void> {
  const { rows } = await sql<{ name: string; is_installed: boolean }>`
    select name, installed_at is not null as is_installed from repositories r
    where owner_id = ${ownerId} and ${isPresentInSql('r')} order by name`.execute(connection);
  const chosen = rows.find((row) => row.name.toLowerCase() === name.toLowerCase());
  if (chosen?.is_installed === true) return;
  if (chosen !== undefined) {
    throw fieldError(
      field,
      `is a repository on which this service is not installed, so that its file cannot be read. Install it on ${chosen.name} first.`,
    );
  }
  const meant = nearest(
    name.split('/').at(-1) ?? name,
    rows.map((row) => row.name),
  );
  const advice =
    meant === undefined ? 'Enter its name without the owner, or leave the field empty.' : `Did you mean ${meant}?`;
  throw fieldError(field, `is not the name of a repository of this account that the service knows. ${advice}`);
}

/**
 * SQL for the priority of repository `r` of owner `o` among those that may hold the file, 1 first; null: it may not.
 */
const placeInSql = sql<number | null>`case
  when o.boards_repository is not null then case when lower(o.boards_repository) = lower(r.name) then 1 end
  when lower(r.name) = '.github' then 1
  when exists (select from achievement_files a where a.repository_id = r.id and a.path is not null) and not exists (
    select from achievement_files a join repositories other on other.id = a.repository_id
    where other.owner_id = r.owner_id and other.id <> r.id and a.path is not null and ${isPresentInSql('other')})
    then 2 end`;

/** The stored state of a repository's file of boards, without its text. */
interface FollowedBoards {
  revision: string | null;
  readAt: Date;
}

export async function findFollowedBoards(
  connection: Connection,
  repositoryId: string,
): Promise<FollowedBoards | undefined> {
  return connection
    .selectFrom('board_files')
    .select(['revision', 'read_at as readAt'])
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
}

/** A file as it was read, or null where the repository has none. */
export interface ReadBoards extends ReadBoardsFile {
  path: string;
  oid: string;
}

/** The time of a change, and ids for new rows. */
interface Making {
  now: Date;
  newId: () => string;
}

/** Stores the file of a repository, and the boards of its owner. A changed file queues a report to its author. */
export async function saveRepositoryFile(
  transaction: Connection,
  { repositoryId, ownerId }: { repositoryId: string; ownerId: string },
  { file, revision }: { file: ReadBoards | null; revision: string | null },
  making: Making,
): Promise<void> {
  const before = await transaction
    .selectFrom('board_files')
    .select(['oid', 'path'])
    .where('repository_id', '=', repositoryId)
    .forUpdate()
    .executeTakeFirst();
  await saveFile(transaction, { ownerId, repositoryId, file, revision }, making.now);
  await applyFile(transaction, ownerId, making);
  if (file === null || (before?.oid === file.oid && before.path === file.path)) return;
  const key = `check_boards_file ${repositoryId}`;
  await addJob(transaction, { task: 'check_boards_file', payload: { repositoryId }, key, priority: 20 });
}

/** Stores the document that an owner sent, which replaces the file; null removes it, so that the file counts again. */
export async function saveDocument(
  transaction: Connection,
  ownerId: string,
  document: ReadBoardsFile | null,
  making: Making,
): Promise<void> {
  if (document === null) {
    await transaction
      .deleteFrom('board_files')
      .where('owner_id', '=', ownerId)
      .where('repository_id', 'is', null)
      .execute();
  } else {
    const file = { path: 'boards.yaml', oid: '', ...document };
    await saveFile(transaction, { ownerId, repositoryId: null, file, revision: null }, making.now);
  }
  await applyFile(transaction, ownerId, making);
}

async function saveFile(
  transaction: Connection,
  saved: { ownerId: string; repositoryId: string | null; file: ReadBoards | null; revision: string | null },
  now: Date,
): Promise<void> {
  const { ownerId, repositoryId, file, revision } = saved;
  const row = {
    path: file?.path ?? null,
    oid: file?.oid ?? null,
    revision,
    text: file?.text ?? '',
    boards: JSON.stringify((file?.boards ?? []).map(({ definition }) => definition)),
    reports: JSON.stringify(file?.reports ?? []),
    read_at: now,
  };
  await transaction
    .insertInto('board_files')
    .values({ owner_id: ownerId, repository_id: repositoryId, ...row })
    .onConflict((conflict) => conflict.columns(['owner_id', 'repository_id']).doUpdateSet(row))
    .execute();
}

/**
 * Stores the boards of the file that counts for an account: its document, otherwise the file of the repository with the
 * highest priority.
 */
async function applyFile(transaction: Connection, ownerId: string, making: Making): Promise<void> {
  await saveBoards(transaction, ownerId, await findBoardsOfFile(transaction, ownerId), making);
}

/**
 * Stores the boards of the file that counts for an account, after its owner chose another repository for it, or another
 * repository became the default. Requests the file of that repository, if it is installed.
 */
export async function followChosenFile(transaction: Connection, ownerId: string, making: Making): Promise<void> {
  await applyFile(transaction, ownerId, making);
  const { rows } = await sql<{ name: string }>`
    select r.name from repositories r join accounts o on o.id = r.owner_id
    where r.owner_id = ${ownerId} and r.installed_at is not null and ${isPresentInSql('r')} and ${placeInSql} is not null
    order by r.name limit 2`.execute(transaction);
  for (const { name } of rows)
    await addJob(transaction, collectRepositoryJob({ accountId: ownerId, repository: name, withPrivate: true }));
}

/** Finds the boards of the file that counts for an account. */
async function findBoardsOfFile(connection: Connection, ownerId: string): Promise<Board[]> {
  const { rows } = await sql<{ provider: string; boards: object[] | null; text: string }>`
    select owner.provider, f.boards, case when f.boards is null then f.text else '' end as text
    from board_files f join accounts owner on owner.id = f.owner_id
    left join repositories r on r.id = f.repository_id and ${isPresentInSql('r')} left join accounts o on o.id = r.owner_id
    where f.owner_id = ${ownerId} and f.path is not null
      and (f.repository_id is null or (r.owner_id = f.owner_id and r.installed_at is not null and ${placeInSql} is not null))
    order by f.repository_id is null desc, ${placeInSql} limit 1`.execute(connection);
  const [row] = rows;
  if (row === undefined) return [];
  const { provider, boards, text } = row;
  return boards?.map(readDefinition) ?? readBoardsFile(Buffer.from(text), { provider }).boards;
}

/**
 * Returns the file of a repository as it was read last; undefined where it has none, or where the commit is not known.
 */
export async function findCheckedBoards(
  connection: Connection,
  repositoryId: string,
): Promise<CheckedFile | undefined> {
  const { rows } = await sql<Omit<CheckedFile, 'owner'> & { external_id: string; owner_name: string }>`
    select r.provider, o.external_id, o.name as owner_name, r.name as repository, f.path, f.oid, f.revision as commit,
      f.reports
    from board_files f join repositories r on r.id = f.repository_id join accounts o on o.id = r.owner_id
    where f.repository_id = ${repositoryId} and f.path is not null and f.revision is not null and ${isPresentInSql('r')}
      and r.installed_at is not null`.execute(connection);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { external_id: externalId, owner_name: name, ...file } = row;
  return { ...file, owner: { externalId, name } };
}
