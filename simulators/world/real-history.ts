import { type HistoryName, readHistory } from '../git/histories.ts';
import { addRepository } from './activity.ts';
import { years } from './cast.ts';
import { fromHistory } from './commits.ts';
import { addActivity } from './fill.ts';
import type { Account } from './model.ts';
import { addAccount } from './people.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** Adds a repository with the commits of a real one, and with issues and pull requests of existing accounts. */
export async function addHistory(
  world: World,
  random: Random,
  owner: Account,
  name: HistoryName,
  allPeople: readonly Account[],
): Promise<void> {
  const commits = fromHistory(await readHistory(name));
  const first = commits[0]?.authoredAt ?? years(2015);
  const last = commits.at(-1)?.committedAt ?? world.now();
  const repository = addRepository(world, { ownerId: owner.id, name, createdAt: first, commits, pushedAt: last });
  const ids = new Set(world.accounts.map((account) => account.id));
  const logins = new Set(world.accounts.map((account) => account.login.toLowerCase()));
  const people = commits.flatMap(({ author, coAuthors }) => [author, coAuthors].flat());
  for (const email of new Set(people.map((person) => person.email))) {
    const [, id, login] = /^(\d+)\+([^@]+)@users\.noreply\.github\.com$/.exec(email) ?? [];
    const isFree = id !== undefined && login !== undefined && !ids.has(Number(id)) && !logins.has(login.toLowerCase());
    if (isFree) {
      ids.add(Number(id));
      logins.add(login.toLowerCase());
      addAccount(world, { id: Number(id), login, type: login.endsWith('[bot]') ? 'Bot' : 'User', createdAt: first });
    } else if (random.chance(0.5)) {
      // Half of the other addresses belong to accounts.
      const account = addAccount(world, { login: `committer-${ids.size}`, createdAt: first, emails: [email] });
      ids.add(account.id);
    }
  }
  if (allPeople.length === 0) return;
  addActivity(world, random, repository, allPeople, { commits: 0, issues: 150, pullRequests: 150, discussions: 20 });
}
