import { Type } from 'typebox';
import { AccountPath } from '../../../http/pipeline/endpoint.ts';
import { readLanguage, sendPage } from '../../../http/pipeline/pages.ts';
import type { App } from '../../../http/server/app.ts';
import { AppError } from '../../../model/errors.ts';
import { accountPath, repositoryPath } from '../layout/addresses.ts';
import type { Site } from '../layout/layout.ts';
import { toReader } from '../layout/reader.ts';
import { hostPage } from './host-page.ts';
import { readSearch } from './read-search.ts';

const SearchQuery = Type.Object({
  provider: Type.Optional(Type.String({ maxLength: 100, 'x-lower-case': true })),
  name: Type.Optional(Type.String({ maxLength: 1000 })),
  lang: Type.Optional(Type.String({ maxLength: 20 })),
});

const HostPath = Type.Pick(AccountPath, ['provider']);

/**
 * Registers the target of the search form, which redirects to the page of an account or a repository, and a page for each
 * code host.
 * @param segment the part of a path that the names of the hosts match.
 */
export function searchRoutes(app: App, site: Site, segment: string): void {
  app.get(
    '/find',
    { schema: { hide: true, querystring: SearchQuery }, config: { isPage: true } },
    async (request, reply) => {
      const { provider = site.providers[0] ?? '', name = '' } = request.query;
      const searched = site.providers.includes(provider) ? readSearch(site, name, provider) : undefined;
      if (searched === 'unknown-host') throw unknownHost(site);
      const { to } = toReader(readLanguage(site, request));
      return reply.header('cache-control', 'no-store').redirect(to(toPath(searched)), 303);
    },
  );
  app.get(
    `/${segment}`,
    { schema: { hide: true, params: HostPath }, config: { isPage: true } },
    async (request, reply) =>
      sendPage(
        reply.header('cache-control', 'public, max-age=300'),
        hostPage(site, toReader(readLanguage(site, request)), request.params.provider),
      ),
  );
}

function toPath(searched: Exclude<ReturnType<typeof readSearch>, 'unknown-host'>): string {
  if (searched === undefined) return '/';
  const { provider, name, repository } = searched;
  return repository === undefined ? accountPath(provider, name) : repositoryPath(provider, name, repository);
}

function unknownHost({ providers }: Site): AppError {
  const choices = providers.join(', ');
  return new AppError('not_found', `There is no such provider here; those that are: ${choices}.`, {
    explanations: [{ phrase: 'noProvider', values: { choices } }],
  });
}
