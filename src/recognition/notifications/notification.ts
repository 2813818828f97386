import { createHash } from 'node:crypto';

/** The way in which a receiver is notified. */
export type Kind = 'github' | 'http' | 'slack' | 'discord';

/** The destination of messages: an address, or a discussion that gets comments (`repository` is `owner/name`). */
export type Target = { url: string } | { repository: string; title: string };

/** The receiver that a webhook in a repository's file names. */
type NamedReceiver =
  | { type: 'github'; repository: string; title: string }
  | { type: Exclude<Kind, 'github'>; url: string };

/** The data of a message about an award; nothing else about the award is sent. */
export interface Content {
  /** As the provider spells the name. */
  person: string;
  achievement: string;
  /** `owner/name` */
  repository: string;
  /** ISO 8601. */
  awardedAt: string;
}

/** One attempt to notify a receiver. */
export interface Attempt {
  /** The id of the message, which stays the same at each attempt. */
  id: string;
  provider: string;
  kind: Kind;
  target: Target;
  receiver: string;
  content: Content;
  /** The owner of the repository. */
  owner: { accountId: string; externalId: string; name: string };
  /** The number of attempts, this one included. */
  attempts: number;
  /** True when the message was dropped, because the award, its account or its repository is not shown any more. */
  isWithheld: boolean;
}

/**
 * The outcome of an attempt. `reason` is for the owner of the repository, and contains no text of the message or the
 * response.
 */
export type Outcome =
  | { outcome: 'sent' }
  | {
      outcome: 'failed';
      reason: string;
      /** True when another attempt would fail like this one. */
      isFinal?: boolean;
      /** The time from which the receiver accepts the next attempt; absent: it named none. */
      retryAt?: Date | undefined;
    };

export function toTarget(receiver: NamedReceiver): Target {
  return receiver.type === 'github'
    ? { repository: receiver.repository, title: receiver.title }
    : { url: new URL(receiver.url).href };
}

/** Returns a key of a receiver that does not reveal its address, which may be a secret. */
export function toReceiver(provider: string, kind: Kind, target: Target): string {
  const parts = 'url' in target ? [target.url] : [provider, target.repository.toLowerCase(), target.title];
  return createHash('sha256')
    .update(JSON.stringify([kind, ...parts]))
    .digest('hex');
}
