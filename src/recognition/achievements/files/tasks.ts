import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Task } from '../../../database/queue/queue.ts';
import type { AppError } from '../../../model/errors.ts';
import { type CheckedKind, type FileCheckContext, FileChecks } from '../../rules/file/check-file.ts';
import { findCheckedFile } from '../../rules/file/check-store.ts';

const OneRepository = Type.Object({ repositoryId: Type.String() });

const achievementsFile: CheckedKind = {
  find: findCheckedFile,
  name: 'Plaudit achievements',
  id: 'plaudit',
  effect: 'An achievement with an error is not awarded; the others are.',
};

/** Creates the job that reports the faults of a changed file to its author. */
export function createFileTasks(context: FileCheckContext, onRefused: (error: AppError) => void): Record<string, Task> {
  const checks = new FileChecks(context, achievementsFile, onRefused);
  return {
    check_file: {
      urgency: 'background',
      run: (payload, signal) => checks.report(Value.Parse(OneRepository, payload).repositoryId, signal),
    },
  };
}
