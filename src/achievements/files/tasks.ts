import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Task } from '../../database/queue.ts';
import type { AppError } from '../../errors.ts';
import { type FileCheckContext, FileChecks } from './check-file.ts';

const OneRepository = Type.Object({ repositoryId: Type.String() });

/** Creates the job that reports the faults of a changed file to its author. */
export function createFileTasks(context: FileCheckContext, onRefused: (error: AppError) => void): Record<string, Task> {
  const checks = new FileChecks(context, onRefused);
  return {
    check_file: {
      urgency: 'background',
      run: (payload, signal) => checks.report(Value.Parse(OneRepository, payload).repositoryId, signal),
    },
  };
}
