import type { Static, TSchema } from 'typebox';
import type { Actor } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import { isSameName, type Ownership } from '../interface/ownership.ts';
import type { BearerClient } from './bearer/client.ts';

/** The claim of the bearer of a token to administer the organization of a name. */
export interface Claim {
  client: BearerClient;
  token: string;
  bearer: Actor;
  name: string;
  signal: AbortSignal;
}

/**
 * Returns a proof that the bearer of a token is the user of a name, or administers the organization of that name. The
 * bearer's name comes from the host. A claim of another user's name costs the same two requests as one of an unknown
 * name, so that the time taken does not reveal which of them exists. A name that the host does not allow is never sent.
 * @param host.administered finds the organization of a claim if the bearer administers it.
 */
export function proofByToken<User extends TSchema>(
  client: BearerClient,
  host: {
    isPossibleName: (name: string) => boolean;
    user: User;
    toActor: (user: Static<User> | null) => Actor | null;
    administered: (claim: Claim) => Promise<Actor | null>;
  },
): Ownership['prove'] {
  return async (token, name, signal) => {
    const user = host.toActor(await client.get(token, '/user', host.user, signal));
    if (user === null) throw new AppError('unauthenticated', 'The code host does not show the owner of this token.');
    const bearer = { externalId: user.externalId, name: user.name };
    if (!host.isPossibleName(name)) return { bearer, owned: null };
    if (isSameName(user.name, name)) return { bearer, owned: user };
    return { bearer, owned: await host.administered({ client, token, bearer: user, name, signal }) };
  };
}
