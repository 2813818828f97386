import type { Static, TSchema } from 'typebox';
import type { Actor } from '../../accounts/account.ts';
import { AppError } from '../../errors.ts';
import type { OwnershipProof } from '../provider.ts';
import type { BearerClient } from './bearer/client.ts';

/** What is presented, and for whom. */
export interface Presented {
  client: BearerClient;
  token: string;
  /** Null: there never is such a name. */
  name: string | null;
  signal: AbortSignal;
}

/**
 * Whether the bearer of a token is the user of a name, or administers the organization of that name. Only the name that the
 * host calls the bearer by is ever asked about. Users and strangers cost the same two questions, so that the time taken tells
 * nobody which of them there is.
 * @param host.administered the organization of a name if the bearer administers it.
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
  if (user === null)
    throw new AppError('unauthenticated', 'The code host does not tell who the bearer of this token is.');
  const bearer = { externalId: user.externalId, name: user.name };
  if (name === null) return { bearer, owned: null };
  if (isSameName(user.name, name)) return { bearer, owned: user };
  return { bearer, owned: await host.administered(user, name) };
}

export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
