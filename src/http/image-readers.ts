import type { IncomingHttpHeaders } from 'node:http';

/**
 * Decides by the headers of a request whether its image is for people. Image proxies show only status 200, so an image
 * for people has it also when it shows an error; a program would take the image for the right one.
 *
 * The rule fits what these send, read in their sources:
 * - go-camo, which GitLab and Gitea recommend: `Accept: image/*, image/svg+xml` (pkg/camo/proxy.go).
 * - atmos/camo, which GitHub runs: the browser's `Accept` or `image/*`, and `User-Agent` and `Via` that name it
 *   (server.coffee); an operator may give it another name, which both headers then have.
 * - imgproxy and programs in Go send no `Accept` at all.
 * - Browsers name `image/` types where they load an image (Firefox before 65 does not), and `Mozilla` everywhere.
 * - curl, Wget, undici and libraries of Python, Java and Ruby: no image type but `*` in `Accept`, and their own name.
 */

/** A part of the name of a browser, an image proxy, or a program that shows previews of links. */
const nameOfReader = /mozilla|opera|proxy|bot\b|camo|image|img|thumb|preview|whatsapp|https?:/i;
/** An entry that a reverse proxy adds, such as `1.1 Caddy`. It starts with a version, other than the names of camo. */
const addedByReverseProxy = /^\s*(?:\w+\/)?\d(?:\.\d)?\s/;

/** The headers that `isFromProgram` reads. */
const readerHeaders = ['accept', 'referer', 'sec-fetch-dest', 'user-agent', 'via'] as const;

/** Returns whether a request for an image is from a program. One that could be either counts as an image proxy's. */
export function isFromProgram(headers: IncomingHttpHeaders): boolean {
  const { accept, referer, 'sec-fetch-dest': destination, 'user-agent': name = '', via = '' } = headers;
  if (accept === undefined || /\bimage\//i.test(accept) || referer !== undefined) return false;
  if (destination !== undefined && destination !== 'empty') return false;
  if (name === '' || nameOfReader.test(name) || nameOfReader.test(via)) return false;
  return via === '' || addedByReverseProxy.test(via);
}

/** Returns the headers of a request that decide about the status, for a request within this process on its behalf. */
export function toReaderHeaders(given: IncomingHttpHeaders): Record<string, string> {
  const known = readerHeaders.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]));
  // Without a name, the request would have that of the library that makes it.
  return { 'user-agent': '', ...Object.fromEntries(known) };
}

/**
 * Returns the headers of an image that shows an error or that its data is being collected. No cache may serve it to
 * readers of the other kind, who get another status.
 * @param code the code of the JSON error; 0: its data is being collected.
 */
export function unfinishedImageHeaders(code: number): Record<string, string> {
  return {
    'cache-control': 'no-store',
    vary: ['authorization', ...readerHeaders].join(', '),
    'x-error-code': String(code),
  };
}
