import type { EventDetails } from './events.ts';
import type { Account, Repository } from './model.ts';
import type { World } from './world.ts';

/** Who does something; by default whoever it is about, as each function says. */
export interface Acting {
  by?: Account;
}

/**
 * Changes are done: what is derived is outdated, and whoever listens hears of it.
 * @param name `EVENT` or `EVENT.ACTION`, as GitHub names them.
 * @param sender id of the account whose doing it is.
 */
export function tell(
  world: World,
  repository: Repository,
  name: string,
  sender: number | (() => number),
  details: EventDetails = {},
): void {
  const [event = '', action = null] = name.split('.');
  world.changed();
  if (world.listeners.size === 0) return;
  const senderId = typeof sender === 'number' ? sender : sender();
  world.happened({ name: event, action, repository, ownerId: repository.ownerId, senderId, details });
}

/** The same, of what is an account's and no repository's. */
export function tellOfAccount(
  world: World,
  account: Account,
  name: string,
  senderId: number,
  details: EventDetails = {},
): void {
  const [event = '', action = null] = name.split('.');
  world.changed();
  world.happened({ name: event, action, repository: null, ownerId: account.id, senderId, details });
}
