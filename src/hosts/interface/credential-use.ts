/** The kind of a credential: no credential, a configured token, or an installation of the App. */
export type CredentialKind = 'none' | 'token' | 'installation';

/**
 * The states of a credential. `limited`: the host refuses requests for a time, or its quota excludes background work.
 */
export const useStates = ['usable', 'limited', 'refused'] as const;

/** One credential as this process knows it from responses; nothing in it reveals the credential or its account. */
export interface CredentialUse {
  kind: CredentialKind;
  state: (typeof useStates)[number];
  quotas: { resource: string; limit: number; remaining: number }[];
}
