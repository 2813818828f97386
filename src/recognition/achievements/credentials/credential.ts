import { formatTimestamp } from '../../../http/pipeline/envelope.ts';
import { issuerIn, paths } from '../../signing/issuer.ts';
import { type StatusEntry, statusListUrl } from './status-store.ts';

/** The data of an award that its credential contains. */
interface Proven {
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
    /** The URL of the account by its immutable id, in the provider's API. */
    idUrl: string;
    /** The provider's immutable id. */
    externalId: string;
    /** The present login, which another person may have later. */
    login: string;
    /** The host of the account. */
    host: string;
  };
  status: StatusEntry;
}

const contexts = ['https://www.w3.org/ns/credentials/v2', 'https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json'];

export function credentialId(awardId: string): string {
  return `urn:uuid:${awardId}`;
}

/** Returns the URL of an award's own revocation list, which credentials of earlier releases contain. */
export function statusUrl(publicUrl: string, awardId: string): string {
  return `${publicUrl}${paths.statuses}/${awardId}/status`;
}

/**
 * Returns an award as an AchievementCredential of Open Badges 3.0, in the data model 2.0 of verifiable credentials,
 * without proof. The same award gives the same credential as long as the description of its achievement and the login
 * stay the same.
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
    issuer: issuerIn(publicUrl),
    validFrom: awarded,
    awardedDate: awarded,
    credentialSubject: {
      id: person.idUrl,
      type: ['AchievementSubject'],
      name: person.login,
      identifier: [identity('accountId', person.externalId), identity('systemId', person.host)],
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
    credentialStatus: toStatus(proven.status, publicUrl),
  };
}

/**
 * Returns an identifier of the recipient. The login is not used: verifiers accept a person who knows one of the
 * identifiers (Open Badges 3.0, section "Verify the Recipient Using an Identifier"), and another person may have the
 * login later.
 */
function identity(identityType: 'accountId' | 'systemId', value: string) {
  return { type: 'IdentityObject', hashed: false, identityHash: value, identityType };
}

/** https://www.w3.org/TR/vc-bitstring-status-list/#bitstringstatuslistentry */
function toStatus({ list, position }: StatusEntry, publicUrl: string) {
  const url = statusListUrl(publicUrl, list);
  return {
    id: `${url}#${position}`,
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex: String(position),
    statusListCredential: url,
  };
}
