import type { Connection } from '../../database/connections/connection.ts';
import type { Caller } from '../../http/pipeline/caller.ts';
import { type Actor, type AuditAction, findIssuedTo, recordAudit } from './audit/store.ts';
import type { AccessServices } from './services.ts';

/**
 * Finds the actor behind a caller: the person who signed in, the key that signed the token, or the person to whom the
 * token was issued; `unknown` when the audit trail does not hold the issue of the token any more.
 */
export async function findActor(connection: Connection, caller: Caller): Promise<Actor> {
  const { accountId, tokenId, keyId, person } = caller;
  if (person !== undefined) return { actor: person.name, tokenId: null };
  if (keyId !== null) return { actor: `key ${keyId}`, tokenId };
  const issuedTo = tokenId === null ? undefined : await findIssuedTo(connection, accountId, tokenId);
  return { actor: issuedTo?.actor ?? 'unknown', tokenId };
}

/** Records an action and its actor, in the transaction of the action. */
export async function recordAction(
  services: Pick<AccessServices, 'now' | 'newId'>,
  connection: Connection,
  accountId: string,
  action: Actor & { action: AuditAction; subject: string; person?: string },
): Promise<void> {
  await recordAudit(connection, accountId, { ...action, id: services.newId(), at: services.now() });
}
