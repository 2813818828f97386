import { toEntity } from '../../accounts/entity.ts';
import type { RouteServices } from '../../accounts/resolve.ts';
import type { HandlerResult, ResolvedAccount } from '../../http/endpoint.ts';
import { envelope } from '../../http/envelope.ts';
import type { Window } from '../../windows/window.ts';
import { lastFetched } from '../last-fetched.ts';
import { wholeDays } from '../window.ts';
import { type CountedLanguages, loadLanguages } from './languages.ts';

const defaultLimit = 6;

/** The languages of changed files, of a window or of the whole history. */
export interface LoadedLanguages {
  languages: CountedLanguages;
  window: Window | undefined;
  asOf: Date;
}

type Context = ResolvedAccount & { window?: Window | undefined; query: { limit?: number } };

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
  const languages = await loadLanguages(services, context, { window, withPrivate, limit });
  return languages && { languages, window, asOf };
}

/** Presents the languages of an account for their card. */
export function presentLanguages(
  { resolver }: RouteServices,
  { languages: { input, isFinal }, window, asOf }: LoadedLanguages,
  { account, provider }: ResolvedAccount,
): HandlerResult {
  return {
    envelope: envelope({
      dataType: 'entity',
      data: [toEntity(account, provider.accounts.urlOf(account))],
      provenance: {
        asOf,
        missing: isFinal ? [] : ['languages'],
        includesPrivate: input.includesPrivate,
        ...(window && { window }),
      },
    }),
    staleAt: resolver.staleAt(asOf),
    cardInput: { languages: input },
    ...(input.includesPrivate && { isWithdrawable: true, isCacheable: false }),
  };
}
