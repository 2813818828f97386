import { toEntity } from '../../accounts/entity.ts';
import type { RouteServices } from '../../accounts/resolve.ts';
import type { HandlerResult, ResolvedAccount } from '../../http/pipeline/endpoint.ts';
import { envelope } from '../../http/pipeline/envelope.ts';
import type { ImageRequest } from '../../http/pipeline/images.ts';
import type { Window } from '../../model/windows/window.ts';
import { lastFetched } from '../last-fetched.ts';
import { wholeDays } from '../windows/counted-window.ts';
import { type CountedLanguages, loadLanguages } from './languages.ts';

const defaultLimit = 6;

/** The languages of changed files, of a window or of the whole history. */
export interface LoadedLanguages {
  languages: CountedLanguages;
  window: Window | undefined;
  asOf: Date;
}

type Context = ResolvedAccount & {
  window?: Window | undefined;
  query: { limit?: number };
  image?: ImageRequest | undefined;
};

/**
 * Loads the languages for their card.
 * @returns undefined while nothing is known.
 */
export async function loadLanguagesCard(
  services: RouteServices,
  context: Context,
  withPrivate: boolean,
): Promise<LoadedLanguages | undefined> {
  // Languages are stored as sums of whole days.
  const window = context.window && wholeDays(context.window);
  const asOf = await lastFetched(services, context, { includesPrivate: withPrivate, isCollected: true });
  const limit = context.query.limit ?? defaultLimit;
  // Parts of the card are hidden by the same parameter; no language has the name of a part.
  const { hide } = context.image?.query ?? {};
  const hidden = new Set(typeof hide === 'string' ? hide.split(',') : []);
  const languages = await loadLanguages(services, context, { window, withPrivate, limit, hidden });
  return languages && { languages, window, asOf };
}

/** Presents the languages of an account for their card. */
export function presentLanguages(
  services: RouteServices,
  loaded: LoadedLanguages,
  { account, provider }: ResolvedAccount,
): HandlerResult {
  const urls = { url: provider.accounts.toUrl(account), publicUrl: services.publicUrl() };
  return {
    ...toResult(services, loaded, { dataType: 'entity', data: [toEntity(account, urls)] }),
    cardInput: { languages: loaded.languages.input },
  };
}

/** Presents the numbers of languages. */
export function presentLanguageNumbers(services: RouteServices, loaded: LoadedLanguages): HandlerResult {
  const { languages } = loaded.languages.input;
  const data = languages.map(({ name, files }) => ({ language: name, files }));
  return toResult(services, loaded, { dataType: 'unknown', data });
}

function toResult(
  { resolver }: RouteServices,
  { languages: { input, isFinal }, window, asOf }: LoadedLanguages,
  content: Pick<Parameters<typeof envelope>[0], 'dataType' | 'data'>,
): HandlerResult {
  return {
    envelope: envelope({
      ...content,
      provenance: {
        asOf,
        missing: isFinal ? [] : ['languages'],
        includesPrivate: input.includesPrivate,
        ...(window && { window }),
      },
    }),
    staleAt: resolver.staleAt(asOf),
    ...(input.includesPrivate && { isWithdrawable: true, isCacheable: false }),
  };
}
