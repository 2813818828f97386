import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { addJob } from '../../database/queue/added-jobs.ts';
import type { Task } from '../../database/queue/queue.ts';
import type { AppError } from '../../model/errors.ts';
import { type CheckedKind, type FileCheckContext, FileChecks } from '../rules/file/check-store.ts';
import type { SigningServices } from '../signing/sign.ts';
import { findCheckedBoards } from './file/file-store.ts';
import { rankLaterJob } from './jobs.ts';
import { readTeams, type TeamContext } from './people/read-teams.ts';
import { rankBoard } from './ranking/rank-board.ts';
import { requestOutdatedBoards } from './ranking/request-store.ts';
import { completeSeasons } from './seasons/correct.ts';
import { freezeSeasons } from './seasons/freeze.ts';

const boardsFile: CheckedKind = {
  find: findCheckedBoards,
  name: 'Plaudit boards',
  id: 'plaudit-boards',
  effect: 'A board with an error is not ranked; the others are.',
};

interface BoardEvents {
  onRefused: (error: AppError) => void;
  onUnnoted: (boardId: string, people: number) => void;
}

const OneBoard = Type.Object({ boardId: Type.String() });
const OneRepository = Type.Object({ repositoryId: Type.String() });

/**
 * Creates the jobs that rank people on boards, freeze seasons, and report the faults of files to their authors.
 * @param events.onUnnoted receives the number of people whose stored points were not those of their contributions.
 */
export function createBoardTasks(
  context: SigningServices & FileCheckContext & TeamContext,
  { onRefused, onUnnoted }: BoardEvents,
): Record<string, Task> {
  const checks = new FileChecks(context, boardsFile, onRefused);
  return {
    rank_board: {
      urgency: 'interactive',
      run: async (payload) => {
        const { boardId } = Value.Parse(OneBoard, payload);
        const outcome = await rankBoard(context, boardId, { rests: true });
        if (outcome.kind === 'rests') await addJob(context.connection, rankLaterJob(boardId, outcome.ms));
        if (outcome.kind !== 'ranked' || !outcome.isCheckDue) return;
        const check = await rankBoard(context, boardId, { isCheck: true });
        if (check.kind === 'ranked' && check.unnoted > 0) onUnnoted(boardId, check.unnoted);
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
