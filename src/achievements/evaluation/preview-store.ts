import { findByName } from '../../accounts/store.ts';
import type { Connection } from '../../database/connection.ts';
import { AppError } from '../../errors.ts';
import { findOwnedRepository } from '../../repositories/store.ts';
import type { Config } from '../config.ts';
import { evaluate } from './evaluate-store.ts';
import { type ExplainedTrigger, explain } from './explain-store.ts';

/** The result of an evaluation of an achievement by the stored contributions. */
export interface Preview {
  achievement: string;
  /** The moment as of which it is evaluated, once; null when it can be earned at any time. */
  evaluateAt: Date | null;
  /** The people who earned it, in the order in which they did. */
  earned: { name: string; earnedAt: Date }[];
  /** The result for the requested person; null when the request names none. */
  person: { name: string; earnedAt: Date | null; triggers: ExplainedTrigger[] } | null;
}

/**
 * Evaluates a file as if it were in a repository, and stores nothing. `question.repository` is `owner/name` at the
 * provider; `question.person` is the person to explain all terms for.
 * @throws AppError `not_found` when the repository or the person is not stored; `invalid_input` for another form.
 */
export async function preview(
  connection: Connection,
  config: Config,
  request: { provider: string; repository: string; person: string | undefined },
): Promise<Preview[]> {
  const { provider } = request;
  // The name of an owner may contain slashes, because GitLab nests groups.
  const [, owner = '', name = ''] = /^([^/]+(?:\/[^/]+)*)\/([^/]+)$/.exec(request.repository) ?? [];
  if (owner === '') {
    throw new AppError('invalid_input', `a repository is OWNER/NAME, not ${request.repository}`);
  }
  const holder = await findByName(connection, provider, owner);
  const repository = holder && (await findOwnedRepository(connection, holder.account.id, name, { withPrivate: true }));
  if (repository === undefined) {
    throw new AppError(
      'not_found',
      `nothing is stored of ${owner}/${name}; plaudit sync ${provider}/${encodeURIComponent(owner)}/${name} brings it`,
    );
  }
  const person = request.person === undefined ? undefined : await findByName(connection, provider, request.person);
  if (request.person !== undefined && person === undefined) {
    throw new AppError('not_found', `no account ${request.person} is stored`);
  }
  const earned = await evaluate(connection, repository.id, config);
  const names = await findNames(connection, [...new Set(earned.map(({ accountId }) => accountId))]);
  const previews: Preview[] = [];
  for (const achievement of config.achievements) {
    const own = earned.filter((one) => one.achievement === achievement);
    const accountId = person?.account.id;
    const triggers =
      accountId === undefined ? [] : await explain(connection, repository.id, config, { achievement, accountId });
    previews.push({
      achievement: achievement.name,
      evaluateAt: achievement.evaluateAt,
      earned: own.map((one) => ({ name: names.get(one.accountId) ?? '', earnedAt: one.earnedAt })),
      person: person
        ? {
            name: person.account.name,
            earnedAt: own.find((one) => one.accountId === accountId)?.earnedAt ?? null,
            triggers,
          }
        : null,
    });
  }
  return previews;
}

async function findNames(connection: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  const rows =
    ids.length === 0
      ? []
      : await connection.selectFrom('accounts').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
