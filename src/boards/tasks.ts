import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { SigningServices } from '../achievements/credentials/sign.ts';
import { type CheckedKind, type FileCheckContext, FileChecks } from '../achievements/files/check-file.ts';
import type { Task } from '../database/queue.ts';
import type { AppError } from '../errors.ts';
import { findCheckedBoards } from './file/file-store.ts';
import { rankBoard } from './ranking/rank-board.ts';
import { requestOutdatedBoards } from './ranking/request-store.ts';
import { completeSeasons, freezeSeasons } from './seasons/freeze.ts';
import { readTeams, type TeamContext } from './teams/read-teams.ts';

const boardsFile: CheckedKind = {
  find: findCheckedBoards,
  name: 'Plaudit boards',
  id: 'plaudit-boards',
  effect: 'A board with an error is not ranked; the others are.',
};

const OneBoard = Type.Object({ boardId: Type.String() });
const OneRepository = Type.Object({ repositoryId: Type.String() });

/** Creates the jobs that rank people on boards, freeze seasons, and report the faults of files to their authors. */
export function createBoardTasks(
  context: SigningServices & FileCheckContext & TeamContext,
  onRefused: (error: AppError) => void,
): Record<string, Task> {
  const checks = new FileChecks(context, boardsFile, onRefused);
  return {
    rank_board: {
      urgency: 'interactive',
      run: async (payload) => {
        await rankBoard(context, Value.Parse(OneBoard, payload).boardId);
      },
    },
    rank_outdated_boards: {
      urgency: 'background',
      schedule: '*/10 * * * *',
      run: () => requestOutdatedBoards(context.connection, context.now()),
    },
    check_boards_file: {
      urgency: 'background',
      run: (payload, signal) => checks.report(Value.Parse(OneRepository, payload).repositoryId, signal),
    },
    read_teams: {
      urgency: 'background',
      schedule: '*/10 * * * *',
      run: (_payload, signal) => readTeams(context, signal),
    },
    freeze_seasons: {
      urgency: 'background',
      schedule: '* * * * *',
      run: () => freezeSeasons(context),
    },
    complete_seasons: {
      urgency: 'background',
      schedule: '*/10 * * * *',
      run: () => completeSeasons(context),
    },
  };
}
