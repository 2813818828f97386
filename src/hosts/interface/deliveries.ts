import type { Actor } from '../../model/account.ts';
import type { ItemKind } from '../../model/contribution.ts';

/** Headers of a delivery, in lower case. */
export type DeliveryHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * A change that a delivery reports. Ids of accounts and repositories are immutable; where the delivery lacks the id of
 * an owner, it is null.
 */
export type Change =
  /** The profile or the activity of an account changed. */
  | { type: 'account'; account: string; name: string }
  /** The repositories that an account owns changed. */
  | { type: 'owned'; account: string | null; name: string }
  /** A person may administer other organizations than before, or see other private repositories. */
  | { type: 'administrator'; person: string }
  /** The contributions to a repository changed, in the named streams. */
  | { type: 'contributions'; repository: string; owner: string | null; ownerName: string; streams: string[] }
  /** An account reacted to an item of a repository. No list of changes shows reactions. */
  | { type: 'reactions'; repository: string }
  /** An account added, changed or removed an installation. `isOver`: the installation no longer shows private data. */
  | { type: 'installation'; credentialName: string; isOver: boolean }
  /** A repository must be hidden until it is listed again. */
  | { type: 'hidden'; repository: string; onlyPrivate: boolean }
  /** An account starred a repository, or removed its star, at a time. Hosts may not show the list of stars. */
  | { type: 'star'; repository: string; account: Actor; at: string; isTakenBack: boolean }
  /**
   * A contribution may have been deleted, which only a complete list shows. It comes with the change of contributions
   * in the streams that list it.
   */
  | { type: 'removed'; repository: string; kind: ItemKind; externalId: string };

/** A delivery from a provider, such as a webhook request. */
export interface Delivery {
  /** The id of the delivery; a repeated delivery has the same id. */
  id: string;
  event: string;
  /** Empty when the delivery does not concern the service. */
  changes: Change[];
}

/**
 * The deliveries of a host. Present where hosts of this kind send deliveries, even when no secret is configured; where
 * absent, the service responds to deliveries with 404.
 */
export interface Deliveries {
  /**
   * Returns the reader of a delivery whose body is still to be received, so that a delivery that cannot be accepted
   * costs no memory.
   * @throws AppError `unauthenticated` when the headers lack a credential of the host; `not_found` when no secret is
   * configured.
   */
  read(headers: DeliveryHeaders): DeliveryReader;
}

export interface DeliveryReader {
  /** Adds the next bytes of the body to the computation of the signature. */
  update(bytes: Buffer): void;
  /**
   * Checks that the delivery comes from the host, and reads it.
   * @param body all bytes that `update` received.
   * @throws AppError `unauthenticated` when the signature is wrong; `missing_field` or `invalid_input`.
   */
  finish(body: Buffer): Delivery;
}
