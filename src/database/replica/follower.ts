import { type Client, escapeIdentifier, type Notification } from 'pg';
import {
  type Announcement,
  channel,
  deleteAnnouncements,
  findPosition,
  keptForS,
  type Position,
  readAnnouncements,
  toAnnouncement,
} from '../queue/announcements.ts';
import { jobChannels } from '../queue/notifications.ts';
import { Progress } from './progress.ts';

interface Receivers {
  onAnnouncement: (announcement: Announcement) => void;
  /** Called with notifications on the channels of jobs. */
  onNotification: (notification: Notification) => void;
  /** Called when announcements were missed, or are too many. */
  onMissed: () => void;
}

/** Reads the announcements of all nodes over one connection, from the position of its start on. */
export class Follower {
  readonly #client: Client;
  readonly #receivers: Receivers;
  #position: Position;
  /** An earlier position; announcements before it are deleted `keptForS` later, when every node has read them. */
  #earlier: Position;
  readonly #progress: Progress;
  #reading: Promise<void> | undefined;
  #begunAt = 0;
  #next: Promise<void> | undefined;

  static async begin(client: Client, receivers: Receivers): Promise<Follower> {
    client.on('notification', (notification) => {
      if (notification.channel !== channel) return receivers.onNotification(notification);
      const [, kind, key] = /^(\w+) (.+)$/.exec(notification.payload ?? '') ?? [];
      const announcement = toAnnouncement(kind, key);
      if (announcement !== undefined) receivers.onAnnouncement(announcement);
    });
    for (const name of [channel, ...jobChannels]) await client.query(`listen ${escapeIdentifier(name)}`);
    return new Follower(client, receivers, await findPosition(client));
  }

  private constructor(client: Client, receivers: Receivers, position: Position) {
    this.#client = client;
    this.#receivers = receivers;
    this.#position = position;
    this.#earlier = position;
    this.#progress = new Progress(position);
  }

  /** The end of the log, in bytes, up to which a replica must have replayed it so that reads from it are current. */
  get neededLsn(): number {
    return this.#progress.neededLsn;
  }

  get isReading(): boolean {
    return this.#reading !== undefined;
  }

  /** The time at which the last read began, as of `performance.now()`. */
  get begunAt(): number {
    return this.#begunAt;
  }

  /**
   * Reads everything that was announced before the call, and passes it to the receivers. Callers share a read that has not
   * begun.
   * @throws the error of the connection.
   */
  read(): Promise<void> {
    if (this.#reading === undefined) return this.#begin();
    this.#next ??= this.#reading.catch(() => {}).then(() => this.#begin());
    return this.#next;
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    this.#begunAt = performance.now();
    this.#reading = this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOnce(): Promise<void> {
    const { position, count, announcements } = await readAnnouncements(this.#client, this.#position);
    this.#position = position;
    // Before receivers drop cached responses: a replica that lags behind must not fill the cache with the former data again.
    this.#progress.add(position, { isChanged: count > 0 || announcements === undefined });
    if (announcements === undefined) this.#receivers.onMissed();
    else for (const announcement of announcements) this.#receivers.onAnnouncement(announcement);
    if (position.at - this.#earlier.at < keptForS) return;
    const readByAll = this.#earlier;
    this.#earlier = position;
    // The next read shows whether the connection is broken.
    await deleteAnnouncements(this.#client, readByAll).catch(() => {});
  }
}
