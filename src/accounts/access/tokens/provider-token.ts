import { decodeJwt, decodeProtectedHeader } from 'jose';
import { bearerToken } from '../../../http/pipeline/caller.ts';
import { AppError } from '../../../model/errors.ts';
import { serviceTokenType } from './issue.ts';

/**
 * Returns the token of the provider that a request presents. A service token is refused here, because the host that
 * received it could read private data with it until it expires.
 * @throws AppError `unauthenticated` when there is no token, or it is one for this service.
 */
export function readProviderToken(
  { publicUrl }: { publicUrl: () => string },
  { headers }: { headers: { authorization?: string | undefined } },
): string {
  const token = bearerToken(headers.authorization);
  if (token === undefined || isForThisService(token, publicUrl())) {
    throw new AppError(
      'unauthenticated',
      'This address needs a token of the provider, such as a personal access token: Authorization: Bearer.',
    );
  }
  return token;
}

/** Returns whether a token is a service token by its type, or has this service as an audience, as those of owners' keys. */
function isForThisService(token: string, audience: string): boolean {
  try {
    const { typ }: { typ?: unknown } = decodeProtectedHeader(token);
    if (typeof typ === 'string' && typ.toLowerCase() === serviceTokenType) return true;
    return [decodeJwt(token).aud].flat().includes(audience);
  } catch {
    // It is no JWT.
    return false;
  }
}
