import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Task } from '../../database/queue.ts';
import type { AppError } from '../../errors.ts';
import { type FileCheckContext, FileChecks } from './check-file.ts';

/** Over some hours, while the provider is away. */
const maxAttempts = 10;

const OneRepository = Type.Object({ repositoryId: Type.String() });

/** The job that tells authors what is wrong with the file that they changed. */
export function createFileTasks(context: FileCheckContext, onRefused: (error: AppError) => void): Record<string, Task> {
  const checks = new FileChecks(context, onRefused);
  return {
    check_file: {
      urgency: 'background',
      maxAttempts,
      run: (payload, signal) => checks.report(Value.Parse(OneRepository, payload).repositoryId, signal),
    },
  };
}
