import type { Connection } from '../../../database/connections/connection.ts';
import { inTransaction } from '../../../database/connections/transaction.ts';
import { formatTimestamp } from '../../../http/pipeline/envelope.ts';
import type { Account } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';
import { recordAction } from '../actor.ts';
import { presentHolder, requestCheck } from '../administrators/person.ts';
import type { Person } from '../administrators/store.ts';
import type { Actor } from '../audit/store.ts';
import type { AccessServices } from '../services.ts';
import { readPublicKey, toPem } from './public-key.ts';
import { findOwnerKeys, type OwnerKey, removeKey, saveKey } from './store.ts';

const maxKeys = 20;

/** An account, and the actor who acts for it. */
export interface Owner extends Actor {
  account: Account;
}

/**
 * Registers a public key of an account, or renews it. The person becomes its holder.
 * @returns the id of the key.
 * @throws AppError `invalid_input` for a key that cannot be used; `conflict` when the account has too many.
 */
export async function registerKey(
  services: AccessServices,
  owner: Owner & { person: Person },
  encodedKey: Parameters<typeof readPublicKey>[0],
): Promise<string> {
  const key = readPublicKey(encodedKey);
  const { account } = owner;
  await inTransaction(services.connection, async (transaction) => {
    const registered = await findOwnerKeys(transaction, account.id);
    if (registered.length >= maxKeys && !registered.some(({ id }) => id === key.id)) {
      throw new AppError('conflict', `The account has ${maxKeys} keys already; remove one first.`);
    }
    const known = registered.find(({ id }) => id === key.id)?.holding;
    await saveKey(transaction, { ...key, accountId: account.id, holder: owner.person, now: services.now() });
    const isTakenOver = known !== undefined && known.holder !== owner.person.id;
    const action = isTakenOver ? 'key_taken_over' : known === undefined ? 'key_registered' : 'key_renewed';
    await recordKeyAction(services, transaction, owner, { action, subject: key.id });
    await requestCheck(transaction, account, owner.person);
  });
  return key.id;
}

/** Returns the keys of an account as the API presents them. */
export async function listKeys({ connection, now }: AccessServices, account: Account): Promise<object[]> {
  const keys = await findOwnerKeys(connection, account.id);
  const at = now();
  return keys.map((key) => present(key, at));
}

function present({ id, kind, spki, createdAt, holding }: OwnerKey, now: Date): object {
  const created = formatTimestamp(createdAt);
  return { id, kind, key: toPem(spki), created_dttm: created, ...presentHolder(holding, now) };
}

/** Removes a key of an account. @throws AppError `not_found`. */
export async function removeOwnKey(services: AccessServices, owner: Owner, id: string): Promise<void> {
  await inTransaction(services.connection, async (transaction) => {
    const isRemoved = await removeKey(transaction, owner.account.id, id);
    if (!isRemoved) throw new AppError('not_found', 'The account has no such key.');
    await recordKeyAction(services, transaction, owner, { action: 'key_removed', subject: id });
  });
}

function recordKeyAction(
  services: AccessServices,
  connection: Connection,
  { account, actor, tokenId }: Owner,
  action: { action: `key_${'registered' | 'renewed' | 'taken_over' | 'removed'}`; subject: string },
): Promise<void> {
  return recordAction(services, connection, account.id, { ...action, actor, tokenId });
}
