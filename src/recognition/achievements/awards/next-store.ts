import { sql } from 'kysely';
import { isPublicInSql } from '../../../accounts/repositories/present-store.ts';
import { isShownInSql } from '../../../accounts/visibility/opt-out-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { pointRead } from '../../../database/reads/point-reads.ts';
import { allAwards } from '../../../database/schema/erasure.ts';
import type { Config } from '../../rules/config.ts';
import { type Goal, measureProgress, toGoal } from '../../rules/evaluation/progress-store.ts';
import type { AchievementFiles, EvaluatedConfig } from '../files/achievement-files.ts';
import { storable } from '../files/store.ts';

/** The file of a public repository with achievements that a person did not earn yet. */
interface OpenFile {
  repositoryId: string;
  repositoryName: string;
  ownerId: string;
  ownerName: string;
  defaultBranch: string;
  oid: string;
  /** Null where the caller has read the file before. */
  text: string | null;
  /** The names of these achievements, in no order. */
  names: string[];
}

/**
 * Finds the files with achievements that an account can still earn, those of repositories with most of its
 * contributions first. Only public, completely collected repositories count, so that the result is the same for every
 * reader.
 * @param values.known the object ids of files whose text is not needed.
 */
async function findOpenFiles(
  connection: Connection,
  { accountId, limit, known }: { accountId: string; limit: number; known: readonly string[] },
): Promise<OpenFile[]> {
  const { rows } = await sql<OpenFile>`
    with totals as (
      select ${pointRead} repository_id, commits + pull_requests + reviews + issues as items from contributor_totals
      where account_id = ${accountId}
    )
    select r.id as "repositoryId", r.name as "repositoryName", r.owner_id as "ownerId", o.name as "ownerName",
      r.default_branch as "defaultBranch", f.oid, case when f.oid = any(${known}::text[]) then null else f.text end as text,
      t.names
    -- Few achievements are left, so that their repositories and files are each read by a key.
    from (
      select t.repository_id, t.items, array_agg(h.name) as names
      from totals t join achievements h on h.repository_id = t.repository_id
      where h.is_current and h.evaluated_at is null
        and h.id not in (select w.achievement_id from ${allAwards('w')} where w.account_id = ${accountId})
      group by t.repository_id, t.items offset 0) t
    cross join lateral (select id, owner_id, name, default_branch from repositories r
      where id = t.repository_id and installed_at is not null and ${isPublicInSql('r')} offset 0) r
    cross join lateral (select name from accounts o where id = r.owner_id and ${isShownInSql('o')} offset 0) o
    cross join lateral (select oid, text from achievement_files
      where repository_id = t.repository_id and path is not null offset 0) f
    where not exists (select from streams s where s.repository_id = t.repository_id and s.completed_at is null)
    order by t.items desc, r.id limit ${limit}`.execute(connection);
  return rows;
}

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
  achievementFiles: AchievementFiles,
): Promise<NextAchievement | undefined> {
  // A copy, because a file may be kept no longer when the others were found.
  const kept = achievementFiles.copyKept();
  const files = await findOpenFiles(connection, { accountId, limit: maxFiles, known: [...kept.keys()] });
  const found = await Promise.all(
    files.map(async (file) => {
      const known = kept.get(file.oid) ?? achievementFiles.findConfig({ ...file, text: file.text ?? '' });
      return measureGoals(connection, accountId, file, await known);
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
