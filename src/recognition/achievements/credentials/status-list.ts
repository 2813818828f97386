import { gzipSync } from 'node:zlib';
import { formatTimestamp } from '../../../http/pipeline/envelope.ts';
import { issuerId, paths } from '../../signing/issuer.ts';

/** The number of bits of a list, 16 KiB: the minimum that the specification demands for the privacy of holders. */
export const listLength = 131_072;
/** Verifiers whose clocks are slow accept a list that is valid from this time before its signature. */
const validBeforeMs = 600_000;

/** The bit of a credential in a status list. */
export interface StatusEntry {
  list: number;
  position: number;
}

export function statusListUrl(publicUrl: string, list: number): string {
  return `${publicUrl}${paths.statusLists}/${list}`;
}

/**
 * Returns a status list, without proof.
 * @param revoked the positions of credentials that are revoked.
 * https://www.w3.org/TR/vc-bitstring-status-list/#bitstringstatuslistcredential
 */
export function statusListCredential(
  { list, revoked }: { list: number; revoked: readonly number[] },
  { publicUrl, now, maxAgeS }: { publicUrl: string; now: Date; maxAgeS: number },
) {
  const url = statusListUrl(publicUrl, list);
  return {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id: url,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer: issuerId(publicUrl),
    validFrom: formatTimestamp(new Date(now.getTime() - validBeforeMs)),
    credentialSubject: {
      id: `${url}#list`,
      type: 'BitstringStatusList',
      statusPurpose: 'revocation',
      ttl: maxAgeS * 1000,
      encodedList: encodeList(revoked),
    },
  };
}

/** Encodes a list: the first bit is the left one, compressed with gzip, as multibase with its mark for base64url. */
function encodeList(revoked: readonly number[]): string {
  const bits = Buffer.alloc(listLength / 8);
  for (const position of revoked)
    bits.writeUInt8(bits.readUInt8(position >> 3) | (0x80 >> (position & 7)), position >> 3);
  return `u${gzipSync(bits).toString('base64url')}`;
}
