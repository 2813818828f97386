import type { Account } from '../accounts/store.ts';
import type { Earnable } from '../achievements/awards/earnable-store.ts';
import { AppError } from '../errors.ts';
import { MovedRepository, RepositoryPath } from '../http/endpoint.ts';
import type { Page } from '../http/pages.ts';
import type { Repository } from '../repositories/store.ts';
import { accountPath, composerPath, endpointPath, previewPath, repositoryPath } from './addresses.ts';
import { html } from './html.ts';
import { renderDocument, type Site } from './layout.ts';
import { type Part, PersonPart, partReader } from './parts.ts';
import { pendingPage } from './progress/page.ts';
import { type Reader, readerOf } from './reader.ts';
import { earnable, numbersBefore, people, provenance, repositoryFacts, section } from './sections.ts';
import { type PageWindow, WindowQuery, windowOf, windowPicker } from './windows.ts';

const shownPeople = 50;
/** The list of the window before is longer, because the people of this one may stand far below in it. */
const peopleBefore = 100;
const shownAchievements = 12;
const readPeople = partReader(PersonPart);

interface Data {
  repository: Repository;
  people: Part<PersonPart>;
  /** The same list of the window before; undefined without one. */
  earlier: Part<PersonPart> | undefined;
  earnable: readonly Earnable[];
  within: PageWindow;
}

interface Sources {
  now: () => Date;
  /** Finds a public repository of an account by its present name. */
  findRepository: (account: Account, name: string) => Promise<Repository | undefined>;
  /** Finds the achievements that the file of a repository defines. */
  findEarnable: (repository: Repository, limit: number) => Promise<readonly Earnable[]>;
}

/** The page of a public repository. */
export function repositoryPage(
  site: Site,
  { now, findRepository, findEarnable }: Sources,
  path: string,
): Page<typeof RepositoryPath, Data> {
  return {
    path,
    params: RepositoryPath,
    query: WindowQuery,
    load: async (read, { account, params: { repository: name }, query }) => {
      const within = windowOf(query, now());
      const wanted = { query: { repository: name, ...within.texts }, window: within.window, limit: shownPeople };
      const found = readPeople(await read('listContributors', wanted));
      const earlier =
        within.before &&
        readPeople(
          await read('listContributors', { query: { repository: name }, window: within.before, limit: peopleBefore }),
        );
      if (found === undefined || found instanceof MovedRepository) return found;
      const repository = await findRepository(account, name);
      if (repository === undefined) {
        throw new AppError('not_found', 'This account has no such public repository.', {
          explanations: [{ phrase: 'noRepository' }],
        });
      }
      return {
        repository,
        people: found,
        earlier: earlier instanceof MovedRepository ? undefined : earlier,
        earnable: await findEarnable(repository, shownAchievements),
        within,
      };
    },
    render: (data, { account, provider }, language) => ({
      html: renderRepository(site, readerOf(language), { ...data, owner: account.name, provider: provider.name }),
      isComplete: data.people.missing.length === 0,
      staleAt: data.people.staleAt,
    }),
    renderPending: ({ provider, name, repository }, language) =>
      pendingPage(site, readerOf(language), { provider, name, title: repository }),
  };
}

function renderRepository(site: Site, reader: Reader, data: Data & { owner: string; provider: string }): string {
  const { repository, people: found, earlier, within, owner, provider } = data;
  const { words, to } = reader;
  const { name, description } = repository;
  const path = repositoryPath(provider, owner, name);
  return renderDocument(site, reader, {
    title: `${owner}/${name}`,
    description: description || `${owner}/${name}`,
    path,
    previewPath: previewPath(provider, owner, 'contributors', { repository: name }),
    isAboutAccount: true,
    facts: {
      '@type': 'SoftwareSourceCode',
      name,
      description,
      url: `${site.publicUrl()}${path}`,
      codeRepository: `${site.profileUrl(provider, owner)}/${name}`,
    },
    main: html`<section class="title"><p class="handle"><a href="${to(accountPath(provider, owner))}">${owner}</a> ·
<a href="${site.profileUrl(provider, owner)}/${name}">${provider}</a></p>
<h1>${name}</h1>
${description !== '' && html`<p class="bio" dir="auto">${description}</p>`}
${repositoryFacts(repository, reader)}
<p><a class="button" href="${composerPath({ provider, name: owner, repository: name, card: 'contributors' })}">${words.toReadme}</a></p></section>
${section(
  words.people,
  html`${windowPicker(path, within, reader)}${people({ provider, of: path, within, before: numbersBefore(earlier) }, found, reader)}${provenance(found, reader)}`,
  html`<a class="quiet" href="${endpointPath(provider, owner, 'contributors', { repository: name, ...within.texts })}">${words.asData}</a>`,
)}
${data.earnable.length > 0 && section(words.detail.toEarn, earnable(provider, data.earnable, reader))}`,
  });
}
