import { findPublicRepository } from '../../../accounts/repositories/page-store.ts';
import type { Repository } from '../../../accounts/repositories/store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { MovedRepository, RepositoryPath } from '../../../http/pipeline/endpoint.ts';
import type { Page, PageServices } from '../../../http/pipeline/pages.ts';
import { AppError } from '../../../model/errors.ts';
import { type Earnable, findEarnable } from '../../../recognition/achievements/awards/holders-store.ts';
import { findBoardsOfRepository, type OpenBoard } from '../../../recognition/boards/views/view-store.ts';
import {
  accountPath,
  composerPath,
  endpointPath,
  previewPath,
  repositoryCounterPath,
  repositoryPath,
} from '../layout/addresses.ts';
import { html } from '../layout/html.ts';
import { renderDocument, type Site } from '../layout/layout.ts';
import { type Part, partReader, RepositoryPart } from '../layout/parts.ts';
import { type Reader, toReader } from '../layout/reader.ts';
import { tipsPath } from '../layout/style.ts';
import { collectingLine, isCollecting, pendingPage, progressScriptPath } from '../progress/page.ts';
import { countProgress, type Progress } from '../progress/store.ts';
import { type Community, communitySection, loadCommunity } from './community.ts';
import { boards, counters, earnable, repositoryFacts, section } from './sections.ts';
import { PeopleQuery, readPageWindow } from './window-picker.ts';

const listLengths = { people: 50, achievements: 12, boards: 12 };
const readRepository = partReader(RepositoryPart);

interface Data {
  repository: Repository;
  numbers: Part<RepositoryPart>;
  boards: readonly OpenBoard[];
  community: Community;
  earnable: readonly Earnable[];
  /** Counts the repository where it is collected; absent where its numbers are complete. */
  collected: Progress | undefined;
}

interface Services extends Pick<PageServices, 'now'> {
  site: Site;
  connection: Connection;
}

/** Returns the page of a public repository. */
export function repositoryPage(
  { site, connection, now }: Services,
  segment: string,
): Page<typeof RepositoryPath, Data> {
  return {
    path: `/${segment}/:name/:repository`,
    params: RepositoryPath,
    query: PeopleQuery,
    load: async (read, { account, params: { repository: name }, query: { people = listLengths.people, ...query } }) => {
      const within = readPageWindow(query, now());
      const [community, numbers] = await Promise.all([
        loadCommunity(read, within, { repository: name, limit: Number(people), now: now() }),
        read('listRepositoryContributions', { params: { repository: name } }).then(readRepository),
      ]);
      if (community === undefined || community instanceof MovedRepository) return community;
      if (numbers === undefined || numbers instanceof MovedRepository) return numbers;
      const repository = await findPublicRepository(connection, account.id, name);
      if (repository === undefined) {
        throw new AppError('not_found', 'This account has no such public repository.', {
          explanations: [{ phrase: 'noRepository' }],
        });
      }
      const isIncomplete = [community.people, numbers].some(({ missing }) => missing.length > 0);
      const { id: repositoryId, ownerId } = repository;
      const followed = { provider: account.provider, name: account.name, repository: repository.name };
      const [boardsOf, defined, collected] = await Promise.all([
        findBoardsOfRepository(connection, { repositoryId, ownerId, limit: listLengths.boards }),
        findEarnable(connection, { ownerId, repositoryId }, listLengths.achievements),
        isIncomplete ? countProgress(connection, followed, { now: now(), reportsTotals: false }) : undefined,
      ]);
      return { repository, numbers, boards: boardsOf, community, earnable: defined, collected };
    },
    render: (data, { account, provider }, language) => ({
      html: renderRepository(site, toReader(language), { ...data, owner: account.name, provider: provider.name }),
      isComplete: [data.community.people, data.numbers].every(({ missing }) => missing.length === 0),
      staleAt: data.community.people.staleAt,
    }),
    renderPending: ({ provider, name, repository }, language, wait) =>
      pendingPage(site, toReader(language), { provider, name, title: repository, wait }),
  };
}

function renderRepository(site: Site, reader: Reader, data: Data & { owner: string; provider: string }): string {
  const { repository, community, collected, owner, provider } = data;
  const { words, to } = reader;
  const { name, description } = repository;
  const path = repositoryPath(provider, owner, name);
  return renderDocument(site, reader, {
    title: `${owner}/${name}`,
    description: description || `${owner}/${name}`,
    path,
    previewPath: previewPath(provider, owner, 'contributors', { repository: name }),
    isAboutAccount: true,
    scripts: isCollecting(collected) ? [progressScriptPath, tipsPath] : [tipsPath],
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
${repositoryFacts(owner, repository, { id: 'stars-tip' }, reader)}
<p><a class="button" href="${composerPath({ provider, name: owner, repository: name, card: 'contributors' })}">${words.toReadme}</a></p></section>
${isCollecting(collected) && collectingLine({ provider, name: owner, repository: name }, collected, reader)}
${section(words.contributions, counters({ values: data.numbers.items[0]?.contributions ?? {}, toPath: (counter) => repositoryCounterPath(provider, owner, name, counter), isOfAll: true }, data.numbers, reader), html`<a class="quiet" href="${endpointPath(provider, owner, `repositories/${encodeURIComponent(name)}/contributions`)}">${words.asData}</a>`)}
${communitySection({ provider, owner, repository: name, path }, community, reader)}
${data.earnable.length > 0 && section(words.detail.toEarn, earnable({ provider, owner, asOf: data.numbers.asOf }, data.earnable, reader))}
${data.boards.length > 0 && section(words.detail.countedOn, boards(data.boards, owner, reader))}`,
  });
}
