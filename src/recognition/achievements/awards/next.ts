import type { Connection } from '../../../database/connections/connection.ts';
import type { Config } from '../../rules/config.ts';
import { measureProgress } from '../../rules/evaluation/progress-store.ts';
import { type Goal, toGoal } from '../../rules/goal.ts';
import { type EvaluatedConfig, type ParsedFiles, parseOnce } from '../files/read-file.ts';
import { storable } from '../files/store.ts';
import { findOpenFiles, type OpenFile } from './next-store.ts';

/** The achievement that a person is closest to. */
export interface NextAchievement {
  name: string;
  present: number;
  wanted: number;
  repositoryId: string;
  goal: Goal;
  /** The point actions of the file of the achievement. */
  pointActions: Config['pointActions'];
  /** A URL, a path in `iconSource`, or empty. */
  icon: string;
  iconSource: { owner: string; name: string; defaultBranch: string };
}

/** The numbers of files, and of goals of a file, that one image measures at most. */
const maxFiles = 3;
const maxGoals = 12;

/**
 * Finds the achievement that an account is closest to, among those that its contributions to public repositories have
 * begun. Only public contributions count, so that the result says nothing that its reader may not see.
 */
export async function findNext(
  connection: Connection,
  accountId: string,
  parsedFiles: ParsedFiles,
): Promise<NextAchievement | undefined> {
  // A copy, because a file that is parsed now may leave the cache before its text is read.
  const parsed = new Map(parsedFiles.entries());
  const files = await findOpenFiles(connection, { accountId, limit: maxFiles, parsed: [...parsed.keys()] });
  const found = await Promise.all(
    files.map((file) => {
      const config = parsed.get(file.oid) ?? parseOnce(parsedFiles, { oid: file.oid, text: file.text ?? '' });
      return measureGoals(connection, accountId, file, config);
    }),
  );
  return found.flat().toSorted(byShare)[0];
}

function byShare(one: NextAchievement, other: NextAchievement): number {
  return (
    other.present / other.wanted - one.present / one.wanted ||
    one.wanted - other.wanted ||
    (one.name < other.name ? -1 : 1)
  );
}

async function measureGoals(
  connection: Connection,
  accountId: string,
  file: OpenFile,
  { achievements, pointActions }: EvaluatedConfig,
): Promise<NextAchievement[]> {
  const open = new Set(file.names);
  const goals = achievements
    .filter(({ name }) => open.has(storable(name)))
    .flatMap((achievement) => toGoal(achievement) ?? [])
    .slice(0, maxGoals);
  const { repositoryId, repositoryName: name, ownerName: owner, defaultBranch } = file;
  const present = await measureProgress(connection, { repositoryId, accountId }, goals, pointActions);
  return goals.flatMap((goal, index) => {
    const { achievement, wanted } = goal;
    const number = present[index] ?? 0;
    if (number <= 0 || number >= wanted) return [];
    const { icon } = achievement;
    const iconSource = { owner, name, defaultBranch };
    return [{ name: achievement.name, present: number, wanted, repositoryId, goal, pointActions, icon, iconSource }];
  });
}
