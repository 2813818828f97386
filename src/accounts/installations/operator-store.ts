import type { Connection } from '../../database/connections/connection.ts';
import { AppError } from '../../model/errors.ts';
import { findInstallation } from './store.ts';

/** Stores installations by the operator: of whole accounts, or of single repositories. */

interface OperatorsWish {
  provider: string;
  account: { externalId: string; name: string };
  /** External id; null: all repositories of the account, including future ones. */
  repository: string | null;
}

/** Stores an installation. @returns its id. */
export async function installByOperator(
  transaction: Connection,
  { provider, account, repository }: OperatorsWish,
  now: Date,
): Promise<string> {
  const id = operatorsId(account.externalId);
  // One that an erasure has ended keeps its id until its rows are deleted.
  await transaction
    .deleteFrom('installations')
    .where('provider', '=', provider)
    .where('id', '=', id)
    .where('removed_at', 'is not', null)
    .execute();
  await transaction
    .insertInto('installations')
    .values({
      provider,
      id,
      source: 'operator',
      account_external_id: account.externalId,
      account_name: account.name,
      credential_name: null,
      covers: repository === null ? 'all' : 'selected',
      missing_permissions: [],
      suspended_at: null,
      removed_at: null,
      seen_at: now,
      covered_at: now,
      created_at: now,
    })
    .onConflict((conflict) =>
      // Adding a repository to an account that is installed as a whole changes nothing.
      conflict
        .columns(['provider', 'id'])
        .doUpdateSet({ account_name: account.name, seen_at: now, ...(repository === null && { covers: 'all' }) }),
    )
    .execute();
  if (repository === null) {
    await selected(transaction, provider, id).execute();
  } else if ((await findInstallation(transaction, provider, id))?.covers === 'selected') {
    await transaction
      .insertInto('covered_repositories')
      .values({ provider, installation_id: id, repository_external_id: repository })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  return id;
}

/** @throws AppError `not_found` when it is not installed; `conflict` when only the whole account can be uninstalled. */
export async function uninstallByOperator(
  transaction: Connection,
  { provider, account, repository }: OperatorsWish,
): Promise<void> {
  const id = operatorsId(account.externalId);
  const installation = await findInstallation(transaction, provider, id);
  if (installation === undefined) throw notInstalled();
  if (repository !== null) {
    if (installation.covers === 'all') {
      throw new AppError('conflict', `${account.name} is installed as a whole; uninstall the account`);
    }
    const removed = await selected(transaction, provider, id)
      .where('repository_external_id', '=', repository)
      .returning('installation_id')
      .execute();
    if (removed.length === 0) throw notInstalled();
    const left = await transaction
      .selectFrom('covered_repositories')
      .select('installation_id')
      .where('provider', '=', provider)
      .where('installation_id', '=', id)
      .limit(1)
      .execute();
    if (left.length > 0) return;
  }
  await transaction.deleteFrom('installations').where('provider', '=', provider).where('id', '=', id).execute();
}

function selected(transaction: Connection, provider: string, installation: string) {
  return transaction
    .deleteFrom('covered_repositories')
    .where('provider', '=', provider)
    .where('installation_id', '=', installation);
}

function operatorsId(account: string): string {
  return `operator ${account}`;
}

function notInstalled(): AppError {
  return new AppError(
    'not_found',
    'that was not installed by the operator; `plaudit installations` lists the installed ones',
  );
}
