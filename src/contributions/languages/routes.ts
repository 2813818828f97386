import { type Static, Type } from 'typebox';
import type { RouteServices } from '../../accounts/resolve.ts';
import { AccountPath, type RequestContext } from '../../http/pipeline/endpoint.ts';
import { cutPage, PageParameters } from '../../http/pipeline/pagination.ts';
import { addEndpoint } from '../../http/pipeline/pipeline.ts';
import type { App } from '../../http/server/app.ts';
import { AppError } from '../../model/errors.ts';
import { toCursor, toListKey } from '../../model/windows/cursors.ts';
import { countedUntil, WindowParameters } from '../../model/windows/window.ts';
import { EvidenceFormat, type LoadedEvidence, readCursor } from '../evidence/evidence.ts';
import { evidenceListing, LanguageEvidenceItem, presentEvidence } from '../evidence/present.ts';
import { countLanguageFiles, findLanguageCommits, type LanguageScope } from './evidence-store.ts';
import { loadLanguagesCard, presentLanguageNumbers } from './languages.ts';
import { languageNamed } from './linguist.ts';
import { maxLanguages } from './store.ts';

const Query = Type.Object({
  ...WindowParameters.properties,
  private: Type.Optional(
    Type.Boolean({ description: 'Include private contributions, where the caller may see them.', default: false }),
  ),
});

const LanguageItem = Type.Object(
  {
    language: Type.String({ examples: ['TypeScript'] }),
    files: Type.Integer({ description: 'Changed files.', examples: [120] }),
  },
  { title: 'Language' },
);

const LanguagePath = Type.Object({
  ...AccountPath.properties,
  language: Type.String({ maxLength: 64, description: 'Name of the language, in any letter case.', examples: ['C++'] }),
});

const EvidenceQuery = Type.Object({ ...PageParameters.properties, ...Query.properties, format: EvidenceFormat });

type Context = RequestContext<unknown, Static<typeof Query>>;

/** Registers the numbers on the card of languages, and the commits that each counts. */
export function languageRoutes(app: App, services: RouteServices): void {
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name/contributions/languages',
    operationId: 'listLanguages',
    tag: 'Contributions',
    summary: 'The languages of the files that the commits of an account change, the most changed one first',
    description: 'Windows are whole days (UTC). Each language lists its commits at its own address.',
    readers: 'public',
    params: AccountPath,
    query: Query,
    dataType: 'unknown',
    item: LanguageItem,
    load: (context) =>
      loadLanguagesCard(services, { ...context, query: { limit: maxLanguages } }, mayIncludePrivate(context)),
    present: (loaded) => presentLanguageNumbers(services, loaded),
  });
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name/contributions/languages/:language',
    operationId: 'listLanguageEvidence',
    tag: 'Contributions',
    summary: 'The commits whose changed files the number of a language counts, newest first',
    description: '`meta_data.total`, `itemised` and `remainder` are changed files; those of an item are its `files`.',
    readers: 'public',
    params: LanguagePath,
    query: EvidenceQuery,
    listing: evidenceListing,
    dataType: 'unknown',
    item: LanguageEvidenceItem,
    hasCsv: true,
    load: (context) => loadEvidence(services, context),
    present: (loaded, context) =>
      presentEvidence(services, loaded, context, context.query.format, LanguageEvidenceItem),
  });
}

function mayIncludePrivate({ query, isOwner, account }: Pick<Context, 'query' | 'isOwner' | 'account'>): boolean {
  return query.private === true && (isOwner || account.publishesPrivate);
}

async function loadEvidence(
  services: RouteServices,
  context: RequestContext<Static<typeof LanguagePath>, Static<typeof EvidenceQuery>>,
): Promise<LoadedEvidence | undefined> {
  const { connection, now } = services;
  const { account, isOwner, query, page, params } = context;
  const language = languageNamed(params.language);
  if (language === undefined) throw new AppError('not_found', 'There is no such language.');
  const includesPrivate = mayIncludePrivate(context);
  const loaded = await loadLanguagesCard(services, { ...context, query: { limit: maxLanguages } }, includesPrivate);
  if (loaded === undefined) return undefined;
  const { window, asOf, missing, progress } = loaded;
  const isOrganization = account.type === 'organization';
  const { period, since, until, time_zone: timeZone } = query;
  const key = toListKey([account.id, language, isOwner, includesPrivate, period, since, until, timeZone]);
  const wanted: LanguageScope = {
    language,
    personId: isOrganization ? null : account.id,
    ownerId: isOrganization ? account.id : null,
    repositoryId: null,
    seesPrivateOf: isOwner && includesPrivate ? account.id : null,
    countsPrivate: includesPrivate,
    since: window?.since ?? null,
    until: window?.until ?? null,
    countedUntil: window && countedUntil(window, now()),
  };
  const { limit, start } = page;
  const { place, ...ends } = readCursor(start, key, wanted);
  const scope = { ...wanted, since: ends.since, until: ends.until };
  const items = await findLanguageCommits(connection, scope, {
    limit: limit + 1,
    after: start.after === undefined ? undefined : place,
    before: start.before === undefined ? undefined : place,
  });
  const { total, itemised, erased, hidden } = await countLanguageFiles(connection, scope);
  return {
    ...cutPage(items, limit, start),
    evidence: {
      total,
      itemised,
      remainder: { ...(hidden > 0 && { private: hidden }), ...(erased > 0 && { 'erased-account': erased }) },
    },
    listKey: [key, toCursor(scope.since), toCursor(scope.until)],
    window: window && { since: scope.since, until: scope.until, timeZone: window.timeZone },
    asOf,
    missing,
    progress,
    includesPrivate,
  };
}
