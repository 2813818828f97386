import { recordAction } from '../actor.ts';
import type { Proven } from '../prove-owner.ts';
import type { AccessServices } from '../services.ts';
import { issueToken } from './issue.ts';

/** Issues a service token to a person who proved to own an account, and records it in the audit trail. */
export async function grantToken(
  services: AccessServices,
  { account, person }: Pick<Proven, 'account' | 'person'>,
): Promise<{ token: string; tokenId: string }> {
  const tokenId = services.newId();
  const token = await issueToken(services, account, tokenId);
  await recordAction(services, services.connection, account.id, {
    action: 'token_issued',
    subject: tokenId,
    actor: person.name,
    tokenId,
    person: person.id,
  });
  return { token, tokenId };
}
