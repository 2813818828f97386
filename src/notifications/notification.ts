import { createHash } from 'node:crypto';

/** In which way a receiver is told. */
export type Kind = 'github' | 'http' | 'slack' | 'discord';

/** Where messages go: to an address, or as comments into a discussion (`repository` is `owner/name`). */
export type Target = { url: string } | { repository: string; title: string };

/** What a repository's file wants to be told, and where. */
export type Webhook = { name: string; achievements: readonly string[] } & (
  | { type: 'github'; repository: string; title: string }
  | { type: Exclude<Kind, 'github'>; url: string }
);

/** All that is ever told of an award. */
export interface Content {
  /** As the provider spells the name. */
  person: string;
  achievement: string;
  /** `owner/name` */
  repository: string;
  /** ISO 8601. */
  awardedAt: string;
}

/** One attempt to tell a receiver. */
export interface Attempt {
  /** The same at each attempt. */
  id: string;
  provider: string;
  kind: Kind;
  target: Target;
  receiver: string;
  content: Content;
  /** Who owns the repository. */
  owner: { accountId: string; externalId: string; name: string };
  /** This one included. */
  attempts: number;
  /** It was dropped: the award, or whose it is, is not shown any more. */
  isWithheld: boolean;
}

/** How an attempt ended. `reason` is for the owner of the repository, and holds nothing of what was sent or answered. */
export type Outcome =
  | { outcome: 'sent' }
  | {
      outcome: 'failed';
      reason: string;
      /** Another attempt would fail like this one. */
      isFinal?: boolean;
      /** When the receiver said to come back. */
      retryAt?: Date | undefined;
    };

export function targetOf(webhook: Webhook): Target {
  return webhook.type === 'github'
    ? { repository: webhook.repository, title: webhook.title }
    : { url: new URL(webhook.url).href };
}

/** Names a receiver, without telling its address, which may be a secret. */
export function receiverOf(provider: string, kind: Kind, target: Target): string {
  const parts = 'url' in target ? [target.url] : [provider, target.repository.toLowerCase(), target.title];
  return createHash('sha256')
    .update(JSON.stringify([kind, ...parts]))
    .digest('hex');
}
