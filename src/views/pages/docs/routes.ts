import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { readLanguage, sendPage } from '../../../http/pipeline/pages.ts';
import { searchesByAddress } from '../../../http/pipeline/rate-limits.ts';
import type { App } from '../../../http/server/app.ts';
import { AppError } from '../../../model/errors.ts';
import { cardOptionParameters } from '../../cards/options.ts';
import { trusted } from '../layout/html.ts';
import type { Site } from '../layout/layout.ts';
import { toReader } from '../layout/reader.ts';
import { docsPath, guides } from './contents.ts';
import { documentPath, Library } from './library.ts';
import { type Content, docsIndex, docsPage, searchResults } from './page.ts';
import {
  type Operation,
  operationPage,
  readOperations,
  referenceIndex,
  referenceSlug,
  searchableOperations,
} from './reference.ts';
import { type Found, indexPages, type Searchable } from './search.ts';

const Search = Type.Object({ q: Type.Optional(Type.String({ maxLength: 200 })) });
const Wildcard = Type.Object({ '*': Type.String() });
const cacheControl = 'public, max-age=300';
const isPage = { isPage: true };

/** Registers the documents of this release, the reference of the API, and a search in both. */
export function docsRoutes(app: App, { site }: { site: Site }): void {
  const docs = new Docs(site, () => app.swagger());
  const send = (request: FastifyRequest, reply: FastifyReply, content: Content, query?: string): FastifyReply =>
    sendPage(
      reply.header('cache-control', cacheControl),
      docsPage(site, toReader(readLanguage(site, request)), content, query),
    );
  app.get(docsPath, { schema: { hide: true }, config: isPage }, async (request, reply) =>
    send(request, reply, { slug: '', title: 'Documentation', main: docsIndex() }),
  );
  app.get(
    `${docsPath}/search`,
    { schema: { hide: true, querystring: Search }, config: { ...isPage, rateLimit: searchesByAddress } },
    async (request, reply) => {
      const query = request.query.q?.trim() ?? '';
      const main = searchResults(query, docs.search(query));
      return send(request, reply, { slug: 'search', title: 'Search', main }, query);
    },
  );
  app.get(`${docsPath}/*`, { schema: { hide: true, params: Wildcard }, config: isPage }, async (request, reply) => {
    const slug = request.params['*'];
    const attachment = docs.library.findAttachment(slug);
    if (attachment !== undefined) {
      return reply.header('cache-control', cacheControl).type(attachment.contentType).send(attachment.body);
    }
    const content = docs.find(slug);
    if (content === undefined) throw new AppError('not_found', 'The documentation has no such page.');
    return send(request, reply, content);
  });
}

/** The content of the pages. The reference and the index of the search are made when they are first requested. */
class Docs {
  readonly library = new Library();
  readonly #site: Site;
  readonly #describe: () => object;
  #operations: readonly Operation[] | undefined;
  #search: ((query: string) => Found[]) | undefined;

  constructor(site: Site, describe: () => object) {
    this.#site = site;
    this.#describe = describe;
  }

  find(slug: string): Content | undefined {
    if (slug === referenceSlug) return { slug, title: 'Reference', main: referenceIndex(this.#readOperations()) };
    const operation = this.#readOperations().find(({ id }) => slug === `${referenceSlug}/${id}`);
    if (operation !== undefined) {
      return { slug, title: operation.summary, main: operationPage(operation, this.#site.publicUrl()) };
    }
    const document = this.library.find(slug);
    return document && { slug, title: document.title, main: trusted(document.html) };
  }

  search(query: string): Found[] {
    this.#search ??= indexPages([...this.#documents(), ...searchableOperations(this.#readOperations())]);
    return this.#search(query);
  }

  #readOperations(): readonly Operation[] {
    this.#operations ??= readOperations(this.#describe(), (name) => Object.hasOwn(cardOptionParameters, name));
    return this.#operations;
  }

  #documents(): Searchable[] {
    return this.library.slugs.flatMap((slug) => {
      const document = this.library.find(slug);
      const isMinor = !guides.has(slug);
      return document === undefined ? [] : [{ ...document, path: documentPath(slug), isMinor }];
    });
  }
}
