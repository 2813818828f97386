import type { Actor } from '../accounts/account.ts';
import type { Call } from './call.ts';

/** What an account let the service see, as the provider tells it. */
export interface Installation {
  /** The provider's immutable id. */
  externalId: string;
  /** The name of the credential that shows it. */
  access: string;
  account: Pick<Actor, 'externalId' | 'name'>;
  /** Everything that the account owns, also what comes later, or what was selected. */
  covers: 'all' | 'selected';
  suspendedAt: Date | null;
  /** What the service needs and was not given, in the provider's words. */
  missingPermissions: string[];
}

/** What a provider has to know of an installation to ask with it. */
export type UsableInstallation = Pick<Installation, 'externalId'> & { account: string };

/** External ids of repositories that an installation covers. */
export interface CoveredPage {
  repositories: string[];
  nextCursor: string | null;
}

/** An attempt at a delivery, as the provider remembers it. */
export interface DeliveryAttempt {
  /** Of this attempt. */
  id: string;
  /** Of what is delivered: the same for every attempt. */
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
 * A provider at which the service is registered as an app that accounts install. Methods throw as those of `Provider`;
 * `provider_denied` where the provider does not take the app, `not_found` where it does not know the installation.
 */
export interface InstallableApp {
  /** Every installation that there is. */
  installations(call: Call): Promise<Installation[]>;
  coveredRepositories(
    installation: Pick<Installation, 'externalId' | 'account'>,
    cursor: string | null,
    call: Call,
  ): Promise<CoveredPage>;
  /** Tells which installations may be asked with from now on: these and no others. */
  use(installations: readonly UsableInstallation[]): void;
  /** Whether the service takes what the provider delivers. */
  readonly takesDeliveries: boolean;
  /** What the provider tried to deliver lately; `not_found` for a cursor that it does not know any more. */
  attempts(cursor: string | null, call: Call): Promise<AttemptPage>;
  /** Has an attempt made again. @returns false when the provider does not do it any more. */
  redeliver(attempt: string, call: Call): Promise<boolean>;
}
