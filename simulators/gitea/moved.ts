import type { Account } from '../world/model.ts';
import type { Reply, ResponseContext } from './responses.ts';

/** Redirects from former names, as Gitea has them. */

/** Redirects from the former name of an account to the present one. */
export function renamed({ world, url }: ResponseContext, name: string): Reply | undefined {
  const account = world.accounts.find(
    (account) => !account.isDeleted && formerNames.get(account)?.has(name.toLowerCase()),
  );
  if (account === undefined || world.accountByLogin(name) !== undefined) return undefined;
  return { status: 307, body: '', headers: { location: `${url}/api/v1/users/${account.login}` } };
}

/**
 * Redirects from the former name of a repository to the present one, without checking access: go-gitea/gitea,
 * routers/api/v1/api.go, `repoAssignment`, and services/context/repo.go, `RedirectToRepo`.
 */
export function movedRepository({ world, url }: ResponseContext, [owner = '', name = '']: string[]): Reply | undefined {
  const found = world.repositoryByFormerName(owner, name);
  const holder = found && world.accountById(found.ownerId);
  if (found === undefined || holder === undefined) return undefined;
  return { status: 307, body: '', headers: { location: `${url}/api/v1/repos/${holder.login}/${found.name}` } };
}

const formerNames = new WeakMap<Account, Set<string>>();

/** Stores a former name of an account for redirects. */
export function remember(account: Account, formerName: string): void {
  const names = formerNames.get(account) ?? new Set<string>();
  formerNames.set(account, names.add(formerName.toLowerCase()));
}
