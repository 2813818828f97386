import type { Connection } from '../../database/connection.ts';
import { AppError } from '../../errors.ts';
import type { FileCheck, Notifier } from '../../providers/notifier.ts';
import { describeReport } from '../report.ts';
import { type CheckedFile, findCheckedFile } from './check-store.ts';

export interface FileCheckContext {
  connection: Connection;
  providers: ReadonlyMap<string, { notifier?: Notifier | undefined }>;
  now: () => Date;
}

const dayMs = 86_400_000;

/** Reports the faults of a changed file of achievements to its author, as a check on the commit. */
export class FileChecks {
  readonly #context: FileCheckContext;
  readonly #onRefused: (error: AppError) => void;
  #refusalReportedAt = 0;

  /** @param onRefused called at most once a day when the provider does not let the service report checks. */
  constructor(context: FileCheckContext, onRefused: (error: AppError) => void) {
    this.#context = context;
    this.#onRefused = onRefused;
  }

  /** @throws AppError when a later retry can help. */
  async report(repositoryId: string, signal: AbortSignal): Promise<void> {
    const { connection, providers, now } = this.#context;
    const file = await findCheckedFile(connection, repositoryId);
    const notifier = file && providers.get(file.provider)?.notifier;
    if (file === undefined || notifier?.reportCheck === undefined) return;
    const { owner, repository } = file;
    const place = { owner: owner.externalId, ownerName: owner.name, repository };
    const call = { urgency: 'background', signal, cost: { requests: 0, points: 0 } } as const;
    try {
      await notifier.reportCheck(place, toCheck(file), call);
    } catch (error) {
      const isRefused = error instanceof AppError && error.code === 'provider_denied';
      if (!isRefused) throw error;
      if (now().getTime() - this.#refusalReportedAt < dayMs) return;
      this.#refusalReportedAt = now().getTime();
      this.#onRefused(error);
    }
  }
}

function toCheck({ path, oid, commit, reports }: CheckedFile): FileCheck {
  const errors = reports.filter(({ severity }) => severity === 'error').length;
  const warnings = reports.length - errors;
  return {
    commit,
    id: `plaudit ${oid}`,
    name: 'Plaudit achievements',
    title: reports.length === 0 ? 'No faults' : `${count(errors, 'error')}, ${count(warnings, 'warning')}`,
    summary:
      reports.length === 0
        ? `\`${path}\` is as it should be.`
        : `\`${path}\` has faults. An achievement with an error is not awarded; the others are.`,
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

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
