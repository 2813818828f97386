import { sql } from 'kysely';
import { isPresentInSql } from '../../../accounts/repositories/present-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { addJob, type Job } from '../../../database/queue/added-jobs.ts';
import type { FileCheck, Notifier } from '../../../hosts/interface/notifier.ts';
import { AppError } from '../../../model/errors.ts';
import { describeReport, type Report } from './report.ts';

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

export interface FileCheckContext {
  connection: Connection;
  providers: ReadonlyMap<string, { notifier?: Notifier | undefined }>;
  now: () => Date;
}

const dayMs = 86_400_000;

/** A kind of file whose faults are reported, and the words of its reports. */
export interface CheckedKind {
  find: (connection: Connection, repositoryId: string) => Promise<CheckedFile | undefined>;
  /** The name of the check, and the beginning of its id. */
  name: string;
  id: string;
  /** The effect of a part with an error. */
  effect: string;
}

/** Reports the faults of a changed file to its author, as a check on the commit. */
export class FileChecks {
  readonly #context: FileCheckContext;
  readonly #kind: CheckedKind;
  readonly #onRefused: (error: AppError) => void;
  #refusalReportedAt = 0;

  /** @param onRefused called at most once a day when the provider does not let the service report checks. */
  constructor(context: FileCheckContext, kind: CheckedKind, onRefused: (error: AppError) => void) {
    this.#context = context;
    this.#kind = kind;
    this.#onRefused = onRefused;
  }

  /** @throws AppError when a later retry can help. */
  async report(repositoryId: string, signal: AbortSignal): Promise<void> {
    const { connection, providers, now } = this.#context;
    const file = await this.#kind.find(connection, repositoryId);
    const notifier = file && providers.get(file.provider)?.notifier;
    if (file === undefined || notifier?.reportCheck === undefined) return;
    const { owner, repository } = file;
    const place = { owner: owner.externalId, ownerName: owner.name, repository };
    const call = { urgency: 'background', signal, cost: { requests: 0, points: 0 } } as const;
    try {
      await notifier.reportCheck(place, toCheck(file, this.#kind), call);
    } catch (error) {
      const isRefused = error instanceof AppError && error.code === 'provider_denied';
      if (!isRefused) throw error;
      if (now().getTime() - this.#refusalReportedAt < dayMs) return;
      this.#refusalReportedAt = now().getTime();
      this.#onRefused(error);
    }
  }
}

function toCheck({ path, oid, commit, reports }: CheckedFile, { name, id, effect }: CheckedKind): FileCheck {
  const errors = reports.filter(({ severity }) => severity === 'error').length;
  const warnings = reports.length - errors;
  return {
    commit,
    id: `${id} ${oid}`,
    name,
    title: reports.length === 0 ? 'No faults' : `${count(errors, 'error')}, ${count(warnings, 'warning')}`,
    summary: reports.length === 0 ? `\`${path}\` is as it should be.` : `\`${path}\` has faults. ${effect}`,
    annotations: reports.map((report) => ({
      path,
      line: report.line,
      column: report.column,
      endLine: report.endLine,
      endColumn: report.endColumn,
      severity: report.severity,
      message: describeReport(report),
    })),
  };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
