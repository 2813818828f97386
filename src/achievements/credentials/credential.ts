import { formatTimestamp } from '../../http/envelope.ts';

/** The data of an award that its credential contains. */
export interface Proven {
  awardId: string;
  achievementId: string;
  name: string;
  description: string;
  /** The URL of an image; empty when there is none. */
  iconUrl: string;
  awardedAt: Date;
  /** Empty where the reader may not know the name. */
  repositoryName: string;
  person: {
    /** The URL of the account in the provider's API. */
    url: string;
    name: string;
    /** The provider's immutable id. */
    externalId: string;
  };
}

const contexts = [
  'https://www.w3.org/ns/credentials/v2',
  'https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json',
  // Defines the type of `credentialStatus`.
  'https://purl.imsglobal.org/spec/ob/v3p0/extensions.json',
];

/** The paths that verifiers fetch. They are below the service's address, which must not change. */
export const paths = { issuer: '/v1/issuer', keys: '/v1/credential-keys', statuses: '/v1/credentials' };

/** Returns the profile of the issuer, which is this service (Open Badges 3.0, Profile). */
export function issuerProfile(publicUrl: string): { id: string; type: string[]; name: string; url: string } {
  return { id: `${publicUrl}${paths.issuer}`, type: ['Profile'], name: 'Plaudit', url: publicUrl };
}

export function credentialId(awardId: string): string {
  return `urn:uuid:${awardId}`;
}

export function statusUrl(publicUrl: string, awardId: string): string {
  return `${publicUrl}${paths.statuses}/${awardId}/status`;
}

/**
 * Returns an award as an AchievementCredential of Open Badges 3.0, in the data model 2.0 of verifiable credentials,
 * without proof. The same award gives the same credential as long as the description of its achievement stays the same.
 * https://www.imsglobal.org/spec/ob/v3p0
 */
export function achievementCredential(proven: Proven, publicUrl: string) {
  const { awardId, name, person, repositoryName } = proven;
  const awarded = formatTimestamp(proven.awardedAt);
  const place = repositoryName === '' ? 'a private repository' : `the repository ${repositoryName}`;
  return {
    '@context': contexts,
    id: credentialId(awardId),
    type: ['VerifiableCredential', 'AchievementCredential'],
    name,
    issuer: issuerProfile(publicUrl),
    validFrom: awarded,
    awardedDate: awarded,
    credentialSubject: {
      id: person.url,
      type: ['AchievementSubject'],
      identifier: [identity('userName', person.name), identity('systemId', person.externalId)],
      achievement: {
        id: `urn:uuid:${proven.achievementId}`,
        type: ['Achievement'],
        achievementType: 'Achievement',
        name,
        description: proven.description === '' ? name : proven.description,
        criteria: { narrative: `What the achievements file of ${place} requires, evaluated by contributions to it.` },
        ...(proven.iconUrl !== '' && { image: { id: proven.iconUrl, type: 'Image' } }),
      },
    },
    credentialStatus: { id: statusUrl(publicUrl, awardId), type: '1EdTechRevocationList' },
  };
}

function identity(identityType: 'userName' | 'systemId', value: string) {
  return { type: 'IdentityObject', hashed: false, identityHash: value, identityType };
}
