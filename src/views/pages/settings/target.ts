import { recentForMs } from '../../../accounts/access/administrators/holding.ts';
import type { AccessServices } from '../../../accounts/access/services.ts';
import type { Session } from '../../../accounts/access/sessions/session.ts';
import { type Administered, findAdministered } from '../../../accounts/access/sessions/store.ts';
import { findById } from '../../../accounts/store.ts';
import type { Provider } from '../../../hosts/interface/provider.ts';
import type { Caller } from '../../../http/pipeline/caller.ts';
import type { AccountName } from '../../../http/pipeline/endpoint.ts';
import type { Account } from '../../../model/account.ts';
import { nameKey } from '../../../model/account.ts';

/** The longest time, in ms, since the host confirmed an administrator: to see the settings, and to change them. */
const confirmedForMs = { reading: 8 * 3_600_000, changing: recentForMs };
const maxOrganizations = 100;

/** An account that a person may manage. */
export interface Target {
  account: Account;
  provider: Provider;
  caller: Caller;
  /** False: the host has to confirm the administration again before a change. */
  mayChange: boolean;
}

/** Finds the organizations that the host confirmed a person to administer in the last hours. */
export function findOrganizations(
  { connection, now }: Pick<AccessServices, 'connection' | 'now'>,
  { account }: Session,
): Promise<Administered[]> {
  const confirmedAfter = new Date(now().getTime() - confirmedForMs.reading);
  return findAdministered(connection, account, { confirmedAfter, limit: maxOrganizations });
}

/** Finds an account that a person may manage; undefined while the host has not confirmed it. */
export async function findTarget(
  services: Pick<AccessServices, 'connection' | 'now' | 'providers'>,
  session: Session,
  name: AccountName,
): Promise<Target | undefined> {
  const { account: own, person, expiresAt } = session;
  const provider = services.providers.get(name.provider);
  if (provider === undefined || name.provider !== own.provider) return undefined;
  const toCaller = (accountId: string): Caller => ({
    accountId,
    tokenId: null,
    keyId: null,
    mayManage: true,
    expiresAt: expiresAt.getTime(),
    person,
  });
  if (nameKey(name.name) === nameKey(own.name)) {
    return { account: own, provider, caller: toCaller(own.id), mayChange: true };
  }
  const organizations = await findOrganizations(services, session);
  const found = organizations.find((organization) => nameKey(organization.name) === nameKey(name.name));
  const account = found && (await findById(services.connection, found.id));
  if (found === undefined || account === undefined) return undefined;
  const mayChange = found.confirmedAt.getTime() > services.now().getTime() - confirmedForMs.changing;
  return { account, provider, caller: toCaller(account.id), mayChange };
}
