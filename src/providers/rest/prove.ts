import type { Static, TSchema } from 'typebox';
import type { Actor } from '../../accounts/account.ts';
import { AppError } from '../../errors.ts';
import type { OwnershipProof } from '../provider.ts';
import type { BearerClient } from './bearer/client.ts';

/** A token that a client presents, and the name that it claims. */
export interface Presented {
  client: BearerClient;
  token: string;
  /** Null: the host allows no such name. */
  name: string | null;
  signal: AbortSignal;
}

/**
 * Proves that the bearer of a token is the user of a name, or administers the organization of that name. The bearer's
 * name comes from the host. A claim of another user's name costs the same two requests as one of an unknown name, so
 * that the time taken does not reveal which of them exists.
 * @param host.administered finds the organization of a name if the bearer administers it.
 */
export async function proveByToken<User extends TSchema>(
  { client, token, name, signal }: Presented,
  host: {
    user: User;
    toActor: (user: Static<User> | null) => Actor | null;
    administered: (bearer: Actor, name: string) => Promise<Actor | null>;
  },
): Promise<OwnershipProof> {
  const user = host.toActor(await client.get(token, '/user', host.user, signal));
  if (user === null) throw new AppError('unauthenticated', 'The code host does not show the owner of this token.');
  const bearer = { externalId: user.externalId, name: user.name };
  if (name === null) return { bearer, owned: null };
  if (isSameName(user.name, name)) return { bearer, owned: user };
  return { bearer, owned: await host.administered(user, name) };
}

export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
