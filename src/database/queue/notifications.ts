import { EventEmitter } from 'node:events';
import type { Notification, Pool } from 'pg';

/** The channels on which the job runner listens (graphile-worker, src/main.ts). */
export const jobChannels = ['jobs:insert', 'worker:migrate'];

/** Emits the notifications that the node's session receives on other channels than its own. */
export type Notifications = EventEmitter<{ notification: [Notification] }>;

export function createNotifications(): Notifications {
  const notifications: Notifications = new EventEmitter();
  // Each kind of workers has a listener, and workers that are ending keep theirs, so any number is no leak.
  notifications.setMaxListeners(0);
  return notifications;
}

/**
 * Returns a pool for the job runner, which takes a connection for each kind of workers to listen on, and keeps it. Here
 * it listens to the session that the node keeps anyway. A pooler would give it sessions that change.
 */
export function poolOfJobs(pool: Pool, notifications: Notifications): Pool {
  const connect = (onConnect?: (error: undefined, client: Listening, release: () => void) => void): unknown => {
    if (onConnect === undefined) return pool.connect();
    const listening = new Listening(notifications);
    onConnect(undefined, listening, () => listening.end());
    return undefined;
  };
  return Object.create(pool, { connect: { value: connect }, query: { value: pool.query.bind(pool) } });
}

/**
 * The part of a connection that a listener uses. This connection never breaks: the node replaces its session when that
 * breaks.
 */
class Listening extends EventEmitter {
  readonly #notifications: Notifications;
  readonly #pass = (notification: Notification): void => void this.emit('notification', notification);

  constructor(notifications: Notifications) {
    super();
    this.#notifications = notifications;
    notifications.on('notification', this.#pass);
  }

  /** The session listens to the channels already. */
  async query(): Promise<void> {}

  end(): void {
    this.#notifications.off('notification', this.#pass);
  }
}
