import { sql } from 'kysely';
import { isPresentInSql } from '../../../accounts/repositories/present-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { addJob, type Job } from '../../../database/queue/added-jobs.ts';
import type { Report } from './report.ts';

/** A file whose faults are reported to its author. */
export interface CheckedFile {
  provider: string;
  owner: { externalId: string; name: string };
  repository: string;
  path: string;
  oid: string;
  commit: string;
  reports: Report[];
}

/** Queues a report of a changed file's faults to its author, as part of the surrounding transaction. */
export async function requestFileCheck(transaction: Connection, repositoryId: string): Promise<void> {
  await addJob(transaction, checkJob(repositoryId));
}

function checkJob(repositoryId: string): Job {
  return { task: 'check_file', payload: { repositoryId }, key: `check_file ${repositoryId}`, priority: 20 };
}

/** Returns the file as it was read last; undefined where there is none, or where it is on no commit. */
export async function findCheckedFile(connection: Connection, repositoryId: string): Promise<CheckedFile | undefined> {
  const { rows } = await sql<{
    provider: string;
    owner_external_id: string;
    owner_name: string;
    name: string;
    path: string;
    oid: string;
    revision: string;
    reports: Report[];
  }>`
    select r.provider, o.external_id as owner_external_id, o.name as owner_name, r.name, f.path, f.oid, f.revision,
      f.reports
    from achievement_files f join repositories r on r.id = f.repository_id join accounts o on o.id = r.owner_id
    where f.repository_id = ${repositoryId} and f.path is not null and f.revision is not null and ${isPresentInSql('r')}
      and r.installed_at is not null`.execute(connection);
  const [row] = rows;
  return (
    row && {
      provider: row.provider,
      owner: { externalId: row.owner_external_id, name: row.owner_name },
      repository: row.name,
      path: row.path,
      oid: row.oid,
      commit: row.revision,
      reports: row.reports,
    }
  );
}
