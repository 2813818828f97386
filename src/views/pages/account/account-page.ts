import { Type } from 'typebox';
import { findPublicRepositories, type ShownRepository } from '../../../accounts/repositories/page-store.ts';
import { findKnownLanguages } from '../../../contributions/languages/languages.ts';
import type { LanguageSum } from '../../../contributions/languages/store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { AccountPath, type MovedRepository } from '../../../http/pipeline/endpoint.ts';
import type { PartRequest } from '../../../http/pipeline/endpoint-registry.ts';
import type { Page, PageServices, ReadPart } from '../../../http/pipeline/pages.ts';
import type { Account } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';
import type { CounterName } from '../../../model/kinds.ts';
import { toLevelProgress } from '../../../model/level.ts';
import { type Earnable, findEarnable } from '../../../recognition/achievements/awards/holders-store.ts';
import { findNext, type NextAchievement } from '../../../recognition/achievements/awards/next-store.ts';
import type { AchievementFiles } from '../../../recognition/achievements/files/achievement-files.ts';
import { findBoardsOfPerson, type OpenBoard } from '../../../recognition/boards/views/view-store.ts';
import { fill } from '../../languages/language.ts';
import type { PageWords } from '../../languages/texts.ts';
import {
  accountPath,
  composerPath,
  counterPath,
  endpointPath,
  previewPath,
  progressPath,
  withQuery,
} from '../layout/addresses.ts';
import { html, type Markup } from '../layout/html.ts';
import { renderDocument, type Site } from '../layout/layout.ts';
import { defineNumber, numberLink, tip } from '../layout/numbers.ts';
import { AccountPart, AwardPart, BoardPart, type Part, partReader, unlessMoved } from '../layout/parts.ts';
import { type Reader, toReader } from '../layout/reader.ts';
import { tipsPath } from '../layout/style.ts';
import { collectingLine, isCollecting, pendingPage, progressScriptPath } from '../progress/page.ts';
import { type Progress as CollectedRepositories, countProgress } from '../progress/store.ts';
import { type Community, communitySection, loadCommunity } from './community.ts';
import {
  achievements,
  avatar,
  boards,
  calendar,
  calendarNote,
  counters,
  earnable,
  languages,
  repositories,
  section,
} from './sections.ts';
import { PeopleQuery, PrivateParameter, privateQuery, readPageWindow } from './window-picker.ts';

const radius = 46;
const circumference = 2 * Math.PI * radius;
const circumferenceText = circumference.toFixed(2);

const AccountQuery = Type.Object({ ...PeopleQuery.properties, private: PrivateParameter });
const numbersId = 'contributions';
const listLengths = { awards: 12, boards: 12, languages: 6, people: 20, repositories: 12 };
const shownAwards = { limit: listLengths.awards, isAlone: true, cardInput: ['holders'] } as const;
const readAccount = partReader(AccountPart);
const readAwards = partReader(AwardPart);
const readBoards = partReader(BoardPart);

interface Data {
  account: Part<AccountPart>;
  /** True where the host reports no totals, so that the numbers of a person are those of collected repositories. */
  countsCollected: boolean;
  awards: Part<AwardPart> | undefined;
  /** The achievement that a person is closest to. */
  progress: NextAchievement | undefined;
  /** The repositories that are collected, and what numbers wait for, where these are not complete. */
  collected: CollectedRepositories | undefined;
  /** For organizations alone. */
  community: Community | undefined;
  /** Its own; of a person also those that rank the person. */
  boards: readonly OpenBoard[];
  repositories: readonly ShownRepository[];
  /** Empty where they were never read. */
  languages: readonly LanguageSum[];
  /** For organizations alone. */
  earnable: readonly Earnable[];
}

interface Services extends Pick<PageServices, 'computations' | 'now'> {
  site: Site;
  connection: Connection;
  achievementFiles: AchievementFiles;
}

/** Returns the page of a person or an organization. */
export function accountPage(services: Services, provider: string): Page<typeof AccountPath, Data> {
  const { site, connection, now, achievementFiles } = services;
  return {
    path: `/${provider}/:name`,
    params: AccountPath,
    query: AccountQuery,
    load: async (read, { account, provider: { accounts }, query: { people = listLengths.people, ...query } }) => {
      const { id } = account;
      const within = readPageWindow(query, now(), account);
      const isOrganization = account.type === 'organization';
      const [own, awards, progress, community, boardList, owned, defined, languages] = await Promise.all([
        readPart(read, 'listContributions', readAccount, { query: { private: within.withPrivate }, isAlone: true }),
        isOrganization ? undefined : readPart(read, 'listAwards', readAwards, shownAwards),
        account.type === 'user' ? findNext(connection, id, achievementFiles) : undefined,
        isOrganization
          ? unlessHostFails(loadCommunity(read, within, { limit: Number(people), now: now() }))
          : undefined,
        isOrganization
          ? listBoards(read, account)
          : findBoardsOfPerson(connection, { accountId: id, limit: listLengths.boards }),
        findPublicRepositories(connection, { ownerId: id, limit: listLengths.repositories }),
        isOrganization ? findEarnable(connection, { ownerId: id, repositoryId: null }, listLengths.awards) : [],
        findKnownLanguages(services, account, listLengths.languages),
      ]);
      if (own === undefined) return undefined;
      const present = unlessMoved(community);
      const isUnlisted = isOrganization && present === undefined;
      const isIncomplete = isUnlisted || own.missing.length > 0 || (present?.people.missing.length ?? 0) > 0;
      return {
        account: own,
        countsCollected: !isOrganization && !accounts.reportsTotals,
        awards,
        progress,
        collected: isIncomplete
          ? await countProgress(connection, account, { now: now(), reportsTotals: accounts.reportsTotals })
          : undefined,
        community: present,
        boards: boardList,
        repositories: owned,
        languages,
        earnable: defined,
      };
    },
    render: (data, context, language) => {
      const [account] = data.account.items;
      if (account === undefined) throw new Error('the response has no account');
      const parts = [data.account, data.awards, data.community?.people].filter((part) => part !== undefined);
      return {
        html: renderAccount(
          site,
          toReader(language),
          { account, publishesPrivate: context.account.publishesPrivate },
          data,
        ),
        isComplete: !isCollecting(data.collected) && parts.every(({ missing }) => missing.length === 0),
        staleAt: new Date(Math.min(...parts.map(({ staleAt }) => staleAt.getTime()))),
        // Its achievement belongs to a repository of another account, whose changes do not invalidate this page.
        isCacheable: data.progress === undefined,
      };
    },
    renderPending: ({ provider, name }, language, wait) => {
      const reader = toReader(language);
      const ring = levelRing({ share: 0.25, label: reader.language.words.collecting });
      const image = html`<div class="ring-box">${ring}${avatar(provider, { name, display_name: name }, 112)}</div>`;
      return pendingPage(site, reader, { provider, name, title: name, image, wait });
    },
  };
}

/** Returns undefined where data is missing because its host fails: the page then says so beside the data it has. */
async function unlessHostFails<Loaded>(loading: Promise<Loaded>): Promise<Loaded | undefined> {
  try {
    return await loading;
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('provider_')) return undefined;
    throw error;
  }
}

async function readPart<Item>(
  read: ReadPart,
  operationId: string,
  readItems: (result: Awaited<ReturnType<ReadPart>>) => Part<Item> | MovedRepository | undefined,
  request: PartRequest = {},
): Promise<Part<Item> | undefined> {
  return unlessMoved(readItems(await read(operationId, request)));
}

/** Lists the boards of an organization as the API does, in the order of its file. */
async function listBoards(read: ReadPart, { provider, name }: Account): Promise<readonly OpenBoard[]> {
  const own = await readPart(read, 'listBoards', readBoards);
  return (own?.items ?? []).map(({ slug, name: title, description }) => ({
    provider,
    owner: name,
    slug,
    name: title,
    description,
  }));
}

function renderAccount(
  site: Site,
  reader: Reader,
  { account, publishesPrivate }: { account: AccountPart; publishesPrivate: boolean },
  data: Data,
): string {
  const { words, language } = reader;
  const { provider, name, display_name: displayName, description, type } = account;
  const isOrganization = type === 'organization';
  const path = accountPath(provider, name);
  const title = displayName || name;
  const { includesPrivate } = data.account;
  const visible = privateQuery(includesPrivate);
  const toPath = (counter: CounterName): string => counterPath(provider, name, counter);
  const { collected } = data;
  return renderDocument(site, reader, {
    title: displayName === '' || displayName === name ? name : `${displayName} (${name})`,
    description: description || `${language.words.publicOnly}: ${title}`,
    path: withQuery(path, visible),
    previewPath: previewPath(provider, name, 'contributions', visible),
    isAboutAccount: true,
    scripts: isCollecting(collected) ? [progressScriptPath, tipsPath] : [tipsPath],
    feeds: data.boards.map(({ provider: host, owner, slug, name: board }) => ({
      path: endpointPath(host, owner, `boards/${slug}/feed`),
      title: board,
    })),
    facts: {
      '@type': isOrganization ? 'Organization' : 'Person',
      name: title,
      alternateName: name,
      url: `${site.publicUrl()}${path}`,
      sameAs: [site.profileUrl(provider, name)],
    },
    main: html`${hero(site, reader, account, data)}${isCollecting(collected) && collectingLine({ provider, name }, collected, reader)}
${section(words.contributions, html`${counters({ values: account.contributions, toPath, isOfAll: isOrganization }, data.account, reader)}${publishesPrivate && otherNumbersLink(path, includesPrivate, reader)}`, dataLink(account, 'contributions', words, visible), numbersId)}
${section(words.year, html`${calendar({ provider, name, withPrivate: includesPrivate }, reader)}${calendarNote(toPath, data.account, reader)}`)}
${data.languages.length > 0 && section(language.words.languagesTitle, languages(provider, name, data.languages, data.account, reader), dataLink(account, 'contributions/languages', words))}
${data.community !== undefined && communitySection({ provider, owner: name, path }, data.community, reader)}
${
  data.awards !== undefined &&
  section(
    language.words.achievementsTitle,
    html`${achievements(provider, name, data.awards, reader)}${data.progress !== undefined && progressLine(provider, name, data.progress, data.account.asOf, reader)}`,
    dataLink(account, 'achievements', words),
    'achievements',
  )
}
${data.earnable.length > 0 && section(words.detail.toEarn, earnable({ provider, owner: name, asOf: data.account.asOf }, data.earnable, reader), undefined, 'achievements')}
${
  data.boards.length > 0 &&
  section(
    words.detail.boards,
    boards(data.boards, name, reader),
    isOrganization ? dataLink(account, 'boards', words) : undefined,
  )
}
${section(words.repositories, repositories(name, data.repositories, reader))}`,
  });
}

/** Renders the link between the public numbers of an account and those with the private contributions that it publishes. */
function otherNumbersLink(path: string, includesPrivate: boolean, { language: { words }, to }: Reader): Markup {
  const name = includesPrivate ? words.publicOnly : words.publicAndPrivate;
  return html`<p class="note"><a href="${to(withQuery(path, privateQuery(!includesPrivate)))}">${name}</a></p>`;
}

function hero(
  site: Site,
  reader: Reader,
  account: AccountPart,
  { account: part, countsCollected }: Pick<Data, 'account' | 'countsCollected'>,
): Markup {
  const { words } = reader;
  const { provider, name, display_name: displayName, description, website, experience, level } = account;
  const { words: names, number } = reader.language;
  const { share, left, next } = toLevelProgress(experience);
  const isFinal = countsCollected && !part.isCollecting;
  const isUnknown = part.missing.includes('level') && !isFinal;
  const levelText = fill(names.level, { n: isUnknown ? '–' : number(level) });
  const toNext = fill(names.toNext, { n: number(left), level: number(next) });
  const wayText = isUnknown ? (part.isCollecting ? names.collecting : '') : toNext;
  const facts = {
    id: 'experience-tip',
    means: defineNumber('experience', reader),
    window: words.detail.lifetime,
    asOf: part.asOf,
  };
  const levelFacts = { ...facts, id: 'level-tip', means: defineNumber('level', reader) };
  const own = `#${numbersId}`;
  return html`<section class="hero">
<div class="ring-box">${levelRing({ share: isUnknown ? 0 : share, label: wayText === '' ? levelText : `${levelText}. ${wayText}.` })}${avatar(provider, account, 112)}<span class="level tipped">${numberLink(own, levelText, levelFacts)}${tip(levelFacts, reader)}</span></div>
<div class="about">
<h1>${displayName || name}</h1>
<p class="handle"><a href="${site.profileUrl(provider, name)}" rel="me">${name}</a> · ${provider}</p>
${description !== '' && html`<p class="bio" dir="auto">${description}</p>`}
<p class="facts"><span class="tipped">${numberLink(own, fill(words.experience, { n: isUnknown ? '–' : number(experience) }), facts)}${wayText !== '' && html` · <bdi dir="${reader.language.isRightToLeft ? 'rtl' : 'ltr'}">${wayText}</bdi>`}${tip(facts, reader)}</span>${isWebAddress(website) && html`<a href="${website}" rel="nofollow ugc">${new URL(website).host}</a>`}</p>
<p><a class="button" href="${composerPath({ provider, name })}">${words.toReadme}</a></p>
</div>
</section>`;
}

function dataLink(
  { provider, name }: AccountPart,
  endpoint: string,
  words: PageWords,
  query: Readonly<Record<string, string>> = {},
): Markup {
  return html`<a class="quiet" href="${endpointPath(provider, name, endpoint, query)}">${words.asData}</a>`;
}

/** Returns whether a text of a profile is an http or https URL: only these become links. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/**
 * Draws a ring around an avatar. Its arc is the share of the way from this level to the next one.
 * @param share from 0 to 1.
 */
function levelRing({ share, label }: { share: number; label: string }): Markup {
  const arc = (circumference * share).toFixed(2);
  return html`<svg class="ring" viewBox="0 0 100 100" role="img" aria-label="${label}">
<circle class="track" cx="50" cy="50" r="${radius}"/>
${share > 0 && html`<circle class="arc" cx="50" cy="50" r="${radius}" stroke-dasharray="${arc} ${circumferenceText}" transform="rotate(-90 50 50)"/>`}
</svg>`;
}

/** Renders the progress to the next award, with a link to what counts towards it. */
function progressLine(
  provider: string,
  account: string,
  { name, goal, present, wanted }: NextAchievement,
  asOf: Date | undefined,
  reader: Reader,
): Markup {
  const { language, to } = reader;
  const facts = { id: 'progress-tip', means: defineNumber('progress', reader), window: goal.trigger.text, asOf };
  const number = numberLink(to(progressPath(provider, account)), language.number(present), facts);
  return html`<p class="facts"><span class="tipped">${language.words.nextAchievement}: <bdi>${name}</bdi> · <bdi>${number} / ${language.number(wanted)}</bdi>${tip(facts, reader)}</span></p>`;
}
