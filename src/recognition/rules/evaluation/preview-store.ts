import { findOwnedRepository, type Repository } from '../../../accounts/repositories/store.ts';
import { findByName } from '../../../accounts/store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { AppError } from '../../../model/errors.ts';
import type { Config } from '../config.ts';
import { dataOfTrigger, type RequiredData } from '../file/required-data.ts';
import { evaluate } from './evaluate-store.ts';
import { type ExplainedTrigger, explain } from './explain-store.ts';
import { findReadState, findUnread, type Reading, type Unread } from './read-state-store.ts';

/** The result of an evaluation of an achievement by the stored contributions. */
export interface Preview {
  achievement: string;
  /** The moment as of which it is evaluated, once; null when it can be earned at any time. */
  evaluateAt: Date | null;
  /** The people who earned it by the stored data, in the order in which they did. */
  earned: { name: string; earnedAt: Date }[];
  /** The data that the achievement needs and that is not stored, so that `earned` may change with it. */
  unread: Unread[];
  /** The result for the requested person; null when the request names none. */
  person: { name: string; earnedAt: Date | null; triggers: ExplainedTrigger[] } | null;
}

/** Finds a repository by its present name. */
export async function findPreviewed(
  connection: Connection,
  { provider, owner, name }: { provider: string; owner: string; name: string },
): Promise<Repository | undefined> {
  const holder = await findByName(connection, provider, owner);
  return holder && (await findOwnedRepository(connection, holder.account.id, name, { withPrivate: true }));
}

/** Returns the data that the achievements of a file need and that is not stored, but can be fetched. */
export async function findReadable(
  connection: Connection,
  repositoryId: string,
  config: Config,
  reading: Reading,
): Promise<RequiredData[]> {
  const state = await findReadState(connection, repositoryId);
  return requiredBy(config).filter((data) => findUnread(state, [data], reading).some(({ canBeRead }) => canBeRead));
}

/** Returns the data that the achievements of a file need. */
export function requiredBy({ achievements, pointActions }: Config): RequiredData[] {
  return achievements
    .flatMap(({ triggers }) => triggers.flat())
    .flatMap((trigger) => dataOfTrigger(trigger, pointActions));
}

/**
 * Evaluates a file as if it were in a repository, and stores nothing.
 * @param request.person the name of the person to explain all terms for.
 * @throws AppError `not_found` when the person is not stored.
 */
export async function preview(
  connection: Connection,
  config: Config,
  request: { repository: Repository; person: string | undefined; reading: Reading },
): Promise<Preview[]> {
  const { repository, reading } = request;
  const person =
    request.person === undefined ? undefined : await findByName(connection, repository.provider, request.person);
  if (request.person !== undefined && person === undefined) {
    throw new AppError('not_found', `no account ${request.person} is stored`);
  }
  const state = await findReadState(connection, repository.id);
  const listUnread = (required: readonly RequiredData[]): Unread[] => findUnread(state, required, reading);
  const earned = await evaluate(connection, repository.id, config);
  const names = await findNames(connection, [...new Set(earned.map(({ accountId }) => accountId))]);
  const previews: Preview[] = [];
  for (const achievement of config.achievements) {
    const own = earned.filter((award) => award.achievement === achievement);
    const accountId = person?.account.id;
    const triggers =
      accountId === undefined
        ? []
        : await explain(connection, repository.id, config, { achievement, accountId, listUnread });
    previews.push({
      achievement: achievement.name,
      evaluateAt: achievement.evaluateAt,
      earned: own
        .map((award) => ({ name: names.get(award.accountId) ?? '', earnedAt: award.earnedAt }))
        .toSorted(byTimeAndName),
      unread: listUnread(requiredBy({ ...config, achievements: [achievement] })),
      person: person
        ? {
            name: person.account.name,
            earnedAt: own.find((award) => award.accountId === accountId)?.earnedAt ?? null,
            triggers,
          }
        : null,
    });
  }
  return previews;
}

/** People who earned it at the same moment are in the same order in every database. */
function byTimeAndName(one: Preview['earned'][number], other: Preview['earned'][number]): number {
  return one.earnedAt.getTime() - other.earnedAt.getTime() || (one.name < other.name ? -1 : 1);
}

async function findNames(connection: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  const rows =
    ids.length === 0
      ? []
      : await connection.selectFrom('accounts').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
