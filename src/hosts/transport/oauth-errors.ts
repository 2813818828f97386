import * as oauth from 'oauth4webapi';
import { AppError } from '../../model/errors.ts';
import { Redirected } from './redirects.ts';

/**
 * The errors about the registration of this service, which its operator has to correct.
 * https://docs.github.com/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-authorization-request-errors
 * https://docs.github.com/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors
 * https://www.rfc-editor.org/rfc/rfc6749#section-5.2
 */
const ofRegistration = new Set([
  'application_suspended',
  'incorrect_client_credentials',
  'redirect_uri_mismatch',
  'invalid_client',
  'invalid_scope',
]);

/** The errors of the host itself. https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1 */
const ofHost = new Set(['server_error', 'temporarily_unavailable']);

/** Returns the error of a failed sign-in without its cause, which may hold the code, the token or the client's secret. */
export function toAppError(error: unknown): AppError {
  if (error instanceof oauth.AuthorizationResponseError) {
    if (ofRegistration.has(error.error)) return misregistered(error.error);
    if (ofHost.has(error.error)) return unavailable();
    return new AppError('forbidden', 'The sign-in was not permitted at the code host.');
  }
  if (error instanceof oauth.ResponseBodyError) {
    if (isOfRegistration(error)) return misregistered(error.error);
    if (error.error === 'unverified_user_email') {
      return new AppError('forbidden', 'Verify your primary email address at the code host, then sign in again.');
    }
    return refused();
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) return refused();
  if (error instanceof oauth.OperationProcessingError) {
    return new AppError('invalid_input', 'The response of the code host does not fit this sign-in. Begin it again.');
  }
  return unavailable(error instanceof Redirected ? error : undefined);
}

/** @param cause one that holds no secret, for the operator's log. */
function unavailable(cause?: Redirected): AppError {
  const message = 'The code host could not complete the sign-in. Try it again soon.';
  return new AppError('provider_unavailable', message, { cause });
}

/**
 * Gitea has one code for a wrong secret and for a wrong code (go-gitea/gitea, routers/web/auth/oauth2_provider.go,
 * handleAuthorizationCode).
 */
function isOfRegistration({ error, error_description: description = '' }: oauth.ResponseBodyError): boolean {
  return ofRegistration.has(error) || (error === 'unauthorized_client' && description.includes('client secret'));
}

/** @param code one of those that this file names, so that it may be shown. */
function misregistered(code: string): AppError {
  const message = `The registration of this service at the code host (${code}) does not fit. Its operator has to compare client ID, client secret and callback address.`;
  // An error with a cause is in the operator's log.
  return new AppError('forbidden', message, { cause: new Error(code) });
}

function refused(): AppError {
  return new AppError('forbidden', 'The code host did not accept this sign-in. Begin it again.');
}
