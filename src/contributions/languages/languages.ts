import { toEntity } from '../../accounts/entity.ts';
import type { LoadServices, RouteServices } from '../../accounts/resolve.ts';
import type { HandlerResult, ResolvedAccount } from '../../http/pipeline/endpoint.ts';
import { envelope, type Progress } from '../../http/pipeline/envelope.ts';
import type { ImageRequest, LanguagesInput } from '../../http/pipeline/images.ts';
import type { Account } from '../../model/account.ts';
import { countedUntil, type Window } from '../../model/windows/window.ts';
import { countLanguagesJob } from '../items/jobs.ts';
import { lastFetched } from '../last-fetched.ts';
import { findProgress } from '../totals/progress-store.ts';
import { wholeDays } from '../windows/counted-window.ts';
import { colourOfLanguage } from './linguist.ts';
import {
  findFewLanguages,
  findLanguageRepositories,
  findLanguages,
  type LanguageQuery,
  type LanguageSum,
} from './store.ts';

/** The most repositories of an account whose languages are counted: those with its most commits. */
export const maxRepositories = 50;

/** The languages of an account, and whether they may still change because files are being read. */
interface CountedLanguages {
  input: LanguagesInput;
  isFinal: boolean;
}

/**
 * Finds the languages of the files that an account's commits change in collected repositories; for an organization,
 * those of all commits to its repositories. Where languages were never read, requests them in the background.
 * @param wanted.window whole days (UTC); undefined: the whole history.
 * @param wanted.hidden names of languages that neither list nor sums contain.
 * @returns undefined while nothing is known.
 */
async function loadLanguages(
  services: LoadServices,
  { account, requester }: Pick<ResolvedAccount, 'account' | 'requester'>,
  {
    window,
    withPrivate,
    limit,
    hidden,
  }: { window: Window | undefined; withPrivate: boolean; limit: number; hidden: ReadonlySet<string> },
): Promise<CountedLanguages | undefined> {
  const { connection, computations, resolver, now } = services;
  const query: LanguageQuery = { accountId: account.id, isOwner: account.type === 'organization', withPrivate };
  const days = { since: formatDay(window?.since), until: formatDay(window && countedUntil(window, now())) };
  const read = async () => ({
    repositories: await findLanguageRepositories(connection, query, maxRepositories),
    sums: await findLanguages(connection, query, days),
  });
  // Private contributions to repositories of others depend on more than this account.
  const { repositories, sums: all } = withPrivate
    ? await computations.alone(read)
    : await computations.share(account.id, `languages ${days.since} ${days.until}`, read);
  if (!account.pinned && repositories.some(({ isNeeded }) => !isNeeded)) {
    resolver.requestInBackground(countLanguagesJob({ accountId: account.id, withPrivate }), requester);
  }
  const isFinal = account.pinned || repositories.every(({ isNeeded, isPending }) => isNeeded && !isPending);
  if (all.length === 0 && !isFinal) return undefined;
  const sums = all.filter(({ language }) => !hidden.has(language));
  const languages = sums.slice(0, limit).map(({ language: name, files }) => ({
    name,
    files,
    colour: colourOfLanguage(name),
  }));
  const [files, otherFiles] = [sumFiles(sums), sumFiles(sums.slice(limit))];
  const areAllHidden = sums.length === 0 && all.length > 0;
  return { input: { languages, files, otherFiles, areAllHidden, includesPrivate: withPrivate }, isFinal };
}

/**
 * Finds the public languages of an account that are known already, the most changed one first. Has nothing read, unlike
 * `loadLanguages`.
 */
export async function findKnownLanguages(
  { connection, computations }: Pick<LoadServices, 'connection' | 'computations'>,
  { id: accountId, type }: Account,
  limit: number,
): Promise<LanguageSum[]> {
  const isOwner = type === 'organization';
  const few = isOwner ? undefined : await findFewLanguages(connection, accountId);
  if (few !== undefined) return few.slice(0, limit);
  const query: LanguageQuery = { accountId, isOwner, withPrivate: false };
  const days = { since: null, until: null };
  const sums = await computations.share(accountId, 'known languages', () => findLanguages(connection, query, days));
  return sums.slice(0, limit);
}

function sumFiles(sums: readonly { files: number }[]): number {
  return sums.reduce((sum, { files }) => sum + files, 0);
}

function formatDay(time: Date | null | undefined): string | null {
  return time?.toISOString().slice(0, 10) ?? null;
}

const defaultLimit = 6;

/** The languages of changed files, of a window or of the whole history. */
export interface LoadedLanguages {
  languages: CountedLanguages;
  window: Window | undefined;
  asOf: Date;
  missing: readonly string[];
  /** The reason for which missing files are not read yet; undefined where none is missing. */
  progress: Progress | undefined;
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
  if (languages === undefined) return undefined;
  const missing = languages.isFinal ? [] : ['languages'];
  const scope = { accountId: context.account.id, repositoryId: null, withPrivate: context.isOwner && withPrivate };
  const progress = await findProgress(services.connection, scope, missing, services.now());
  return { languages, window, asOf, missing, progress: progress && toFileProgress(progress) };
}

/** The changed files of commits are read after everything else of a repository, which then waits for nothing. */
function toFileProgress({ repositories, ...wait }: Progress): Progress {
  const isRead = repositories.complete === repositories.total && wait.reason === 'refused';
  return { repositories, ...(isRead ? { reason: 'collecting' } : wait) };
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
  { languages: { input }, window, asOf, missing, progress }: LoadedLanguages,
  content: Pick<Parameters<typeof envelope>[0], 'dataType' | 'data'>,
): HandlerResult {
  return {
    envelope: envelope({
      ...content,
      provenance: {
        asOf,
        missing,
        progress,
        includesPrivate: input.includesPrivate,
        ...(window && { window }),
      },
    }),
    staleAt: resolver.staleAt(asOf),
    ...(input.includesPrivate && { isWithdrawable: true, isCacheable: false }),
  };
}
