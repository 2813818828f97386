import type { Dispatcher } from 'undici';
import { AppError, formatRedirect } from '../../model/errors.ts';

/** Returns the address to which a redirect leads; undefined: the redirect is not followed. */
export type RedirectRule = (target: URL, from: URL) => URL | undefined;

/** The redirects of a moved resource. 303 leads to another resource, 300 to several. */
const followed: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/** The error for a redirect that is not followed. @param reason as `formatRedirect` returns it, for the operator alone. */
export class Redirected extends AppError {
  constructor(reason: string) {
    super('provider_invalid_response', 'The code host redirects to another address.', {
      reason,
      cause: new Error(reason),
    });
  }
}

/**
 * Returns an interceptor below undici's redirect interceptor. It removes the `Location` of redirects that must not be
 * followed, because undici follows redirects to every origin, and replaces the others by the rule's target.
 * @param rule undefined: no redirect is followed.
 * @param onRedirect receives each redirect, as `formatRedirect` returns it.
 */
export function limitRedirects(
  rule: RedirectRule | undefined,
  onSend: () => void,
  onRedirect: (redirect: string | undefined) => void,
): Dispatcher.DispatcherComposeInterceptor {
  const visited = new Set<string>();
  return (dispatch) => (options, handler) => {
    const from = new URL(options.path, options.origin);
    visited.add(from.href);
    onSend();
    return dispatch(options, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onResponseStart: (controller, status, headers, message) => {
        const { location, ...others } = headers;
        onRedirect(formatRedirect(location, from.href));
        const target = followed.has(status) ? toTarget(rule, location, from) : undefined;
        // undici throws an error for a loop; without a location it is a response with the status of a redirect.
        const isFollowed = target !== undefined && !visited.has(target.href);
        const rewrittenHeaders = isFollowed ? { ...others, location: target.href } : others;
        handler.onResponseStart?.(controller, status, rewrittenHeaders, message);
      },
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    });
  };
}

/** Follows redirects within the origin of the request, because a token is sent nowhere else. */
export const withinOrigin: RedirectRule = (target, from) => (target.origin === from.origin ? target : undefined);

function toTarget(rule: RedirectRule | undefined, location: string | string[] | undefined, from: URL): URL | undefined {
  if (rule === undefined || typeof location !== 'string' || !URL.canParse(location, from.href)) return undefined;
  return rule(new URL(location, from), from);
}
