import { requestListing } from '../../accounts/actor-store.ts';
import { installByOperator, uninstallByOperator } from '../../accounts/installations/operator-store.ts';
import { recordInstalled } from '../../accounts/installations/store.ts';
import { findOwnedRepository } from '../../accounts/repositories/store.ts';
import { collectJob, collectRepositoryJob } from '../../contributions/items/jobs.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import { announce } from '../../database/queue/announcements.ts';
import type { Call, ListedRepository, Provider } from '../../hosts/interface/provider.ts';
import type { Account } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import type { SyncContext } from '../context.ts';
import { saveListed } from '../listings/list-repositories.ts';

/**
 * Installs an account, or one repository of it, on behalf of the operator, and queues its collecting.
 * @returns whether a credential may show private data of it.
 * @throws AppError `not_found` for a repository that no configured credential can read.
 */
export async function install(
  context: SyncContext,
  { account, provider, repository: name }: { account: Account; provider: Provider; repository: string | undefined },
  call: Call,
): Promise<{ showsPrivate: boolean }> {
  const { connection, now } = context;
  const at = now();
  const repository = name === undefined ? null : await readable(account, provider, name, call);
  // Only a response shows which data a credential can read, and whether the provider accepts it at all.
  if (repository === null) await provider.repositories.list(account, null, call);
  if (repository === null) await installAccount(context, account);
  else {
    await inTransaction(connection, async (transaction) => {
      const installation = { provider: account.provider, account, repository: repository.externalId };
      await installByOperator(transaction, installation, at);
      await saveListed(context, transaction, { account, provider, repositories: [repository], listedAt: at });
      await addJob(
        transaction,
        collectRepositoryJob({ accountId: account.id, repository: repository.name, withPrivate: true }),
      );
      await announce(transaction, { kind: 'installations', key: account.provider });
    });
  }
  return { showsPrivate: repository !== null || (provider.privateData?.credentialNames(account) ?? []).length > 0 };
}

/** Installs an account with all of its repositories, and queues their collecting. */
export async function installAccount(
  { connection, now }: Pick<SyncContext, 'connection' | 'now'>,
  account: Account,
): Promise<void> {
  const at = now();
  await inTransaction(connection, async (transaction) => {
    await installByOperator(transaction, { provider: account.provider, account, repository: null }, at);
    await recordInstalled(transaction, { ids: [account.id] }, at);
    await requestListing(transaction, account.id, at);
    await addJob(transaction, collectJob(account.id));
    await announce(transaction, { kind: 'installations', key: account.provider });
  });
}

async function readable(account: Account, provider: Provider, name: string, call: Call): Promise<ListedRepository> {
  const repository = await provider.repositories.find(account, name, { withPrivate: true }, call);
  if (repository !== null) return repository;
  const message = `${account.name}/${name} cannot be read: there is no such repository, or no configured credential shows it`;
  throw new AppError('not_found', message);
}

/**
 * Removes an installation of the operator.
 * @throws AppError `not_found` or `conflict` as `uninstallByOperator`.
 */
export async function uninstall(
  { connection, now }: SyncContext,
  { account, repository: name }: { account: Account; repository: string | undefined },
): Promise<void> {
  await inTransaction(connection, async (transaction) => {
    const stored =
      name === undefined ? null : await findOwnedRepository(transaction, account.id, name, { withPrivate: true });
    if (stored === undefined) throw new AppError('not_found', `nothing is stored of ${account.name}/${name}`);
    const installation = { provider: account.provider, account, repository: stored?.externalId ?? null };
    await uninstallByOperator(transaction, installation);
    await recordInstalled(transaction, { ids: [account.id] }, now());
    await announce(transaction, { kind: 'installations', key: account.provider });
  });
}
