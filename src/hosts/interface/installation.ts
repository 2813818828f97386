import type { Actor } from '../../model/account.ts';
import type { Call } from './call.ts';

/** An account's installation of the app, as the provider reports it. */
export interface Installation {
  /** The provider's immutable id. */
  externalId: string;
  /** The name of the installation's credential. */
  credentialName: string;
  account: Pick<Actor, 'externalId' | 'name'>;
  /** `all`: every repository of the account, also those created later. `selected`: those that the account chose. */
  covers: 'all' | 'selected';
  suspendedAt: Date | null;
  /** The permissions that the service needs and was not given, by the provider's names. */
  missingPermissions: string[];
}

/** The data that a provider needs for sending requests as an installation. */
export type UsableInstallation = Pick<Installation, 'externalId'> & { account: string };

/** External ids of repositories that an installation covers. */
export interface CoveredPage {
  repositories: string[];
  nextCursor: string | null;
}

/** An attempt at a delivery, from the provider's log. */
export interface DeliveryAttempt {
  /** The id of this attempt. */
  id: string;
  /** The id of the delivery, the same for each of its attempts. */
  delivery: string;
  at: Date;
  hasArrived: boolean;
}

export interface AttemptPage {
  /** Newest first. */
  attempts: DeliveryAttempt[];
  nextCursor: string | null;
}

/**
 * A provider at which the service is registered as an app that accounts install. Its methods throw the errors of
 * `Provider`: `provider_denied` when the provider does not accept the app, `not_found` when it does not know the
 * installation.
 */
export interface InstallableApp {
  /** Returns all installations of the app. */
  installations(call: Call): Promise<Installation[]>;
  coveredRepositories(
    installation: Pick<Installation, 'externalId' | 'account'>,
    cursor: string | null,
    call: Call,
  ): Promise<CoveredPage>;
  /** Replaces the installations whose credentials may be used. */
  use(installations: readonly UsableInstallation[]): void;
  /** True when the service accepts deliveries from the provider. */
  readonly takesDeliveries: boolean;
  /** Returns the provider's recent delivery attempts; throws `not_found` for a cursor that it no longer knows. */
  attempts(cursor: string | null, call: Call): Promise<AttemptPage>;
  /** Requests that a delivery is repeated. @returns false when the provider no longer repeats it. */
  redeliver(attempt: string, call: Call): Promise<boolean>;
}
