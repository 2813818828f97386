import Negotiator from 'negotiator';
import { cacheKey, pageKey } from './response-cache.ts';

/** The language of a page. */
export interface PageLanguage {
  locale: string;
  /** True when the address names the language; false when it follows from `Accept-Language` or is the default. */
  isChosen: boolean;
}

const [maxHeaderLength, defaultLocale] = [300, 'en'];

/**
 * Chooses the language of a page: that of `lang` in its address, otherwise the one that the reader prefers.
 * @param locales the languages in which pages exist, English among them.
 */
export function pageLanguage(
  locales: readonly string[],
  url: string,
  acceptLanguage: string | undefined,
): PageLanguage {
  const language = /[?&]lang=([a-z]{2})(?:&|$)/.exec(url)?.[1];
  if (language !== undefined && locales.includes(language)) return { locale: language, isChosen: true };
  if (acceptLanguage === undefined) return { locale: defaultLocale, isChosen: false };
  const headers = { 'accept-language': acceptLanguage.slice(0, maxHeaderLength) };
  return { locale: new Negotiator({ headers }).language([...locales]) ?? defaultLocale, isChosen: false };
}

/** Returns the cache key of the response to a request without a credential. */
export function publicKey(locales: readonly string[], url: string, acceptLanguage: string | undefined): string {
  if (url.startsWith('/v1/')) return cacheKey(url, null);
  return pageKey(url, pageLanguage(locales, url, acceptLanguage).locale);
}
