import type { EventDetails } from './events.ts';
import type { Account, Repository } from './model.ts';
import type { World } from './world.ts';

/** The account that acts. Each function documents the default. */
export interface Acting {
  by?: Account;
}

/**
 * Marks derived data as outdated, and notifies the listeners of an event about a repository.
 * @param name `EVENT` or `EVENT.ACTION`, as GitHub names them.
 * @param sender the id of the account that acts.
 */
export function emitEvent(
  world: World,
  repository: Repository,
  name: string,
  sender: number | (() => number),
  details: EventDetails = {},
): void {
  const [event = '', action = null] = name.split('.');
  world.markChanged();
  if (world.listeners.size === 0) return;
  const senderId = typeof sender === 'number' ? sender : sender();
  world.emit({ name: event, action, repository, ownerId: repository.ownerId, senderId, details });
}

/** Marks derived data as outdated, and notifies the listeners of an event about an account. */
export function emitAccountEvent(
  world: World,
  account: Account,
  name: string,
  senderId: number,
  details: EventDetails = {},
): void {
  const [event = '', action = null] = name.split('.');
  world.markChanged();
  world.emit({ name: event, action, repository: null, ownerId: account.id, senderId, details });
}
