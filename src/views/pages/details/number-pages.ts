import { type TObject, Type } from 'typebox';
import { Value } from 'typebox/value';
import { languageNamed } from '../../../contributions/languages/linguist.ts';
import { AccountPath, RepositoryPath } from '../../../http/pipeline/endpoint.ts';
import { toPathPart } from '../../../model/account.ts';
import { counterNames } from '../../../model/counters.ts';
import { daysOfWindow } from '../account/window-picker.ts';
import {
  accountPath,
  boardPath,
  contributorPath,
  counterPath,
  languagePath,
  progressPath,
  repositoryCounterPath,
  repositoryPath,
  withQuery,
} from '../layout/addresses.ts';
import { html } from '../layout/html.ts';
import { defineCounter, defineNumber } from '../layout/numbers.ts';
import { BoardFacts } from '../layout/parts.ts';
import type { Reader } from '../layout/reader.ts';
import type { NumberDetails, NumberKind } from './evidence-page.ts';

/** The achievement that a person is closest to, in the response that lists what counts towards it. */
const ProgressMeta = Type.Object({
  progress: Type.Object({
    name: Type.String(),
    repository: Type.String(),
    condition: Type.String(),
    present: Type.Integer(),
    wanted: Type.Integer(),
  }),
});

/** The members of the response with the evidence of a person that pages show. */
const BoardMeta = Type.Object({
  board: BoardFacts,
  person: Type.Object({
    points: Type.Number(),
    points_by_rule: Type.Array(Type.Object({ rule: Type.Integer(), points: Type.Number() })),
  }),
  sum: Type.Object({ remainder: Type.Number() }),
  grants: Type.Array(Type.Object({ points: Type.Number(), reason: Type.String(), granted_by: Type.String() })),
});

const countersOfRepositories = counterNames.filter((name) => name !== 'contributed_to');

type AddNumber = <Path extends TObject>(kind: NumberKind<Path>) => void;

/**
 * Adds the kinds of numbers with a page of their items: of counters, languages, contributors, people on boards and
 * progress to awards.
 */
export function addNumbers(add: AddNumber, provider: string): void {
  add({
    path: `/${provider}/:name/contributions/:counter`,
    params: Type.Object({ ...AccountPath.properties, counter: Type.Enum([...counterNames]) }),
    operationId: 'listCounterEvidence',
    windows: 'periods',
    canBePrivate: true,
    partRequest: ({ counter }) => ({ params: { counter } }),
    describe: ({ counter }, { provider: host, name, type }, reader) => ({
      path: counterPath(host, name, counter),
      title: reader.language.words[counter],
      endpoint: `contributions/${counter}`,
      preview: ['contributions'],
      definition: defineCounter(counter, { isOfAll: type === 'organization' }, reader),
    }),
  });
  add({
    path: `/${provider}/:name/contributors/:login`,
    params: Type.Object({ ...AccountPath.properties, login: Type.String({ maxLength: 255 }) }),
    operationId: 'listContributorEvidence',
    isOfOwned: true,
    windows: 'periods',
    partRequest: ({ login }) => ({ params: { login } }),
    describe: ({ login }, { provider: host, name }, reader) => ({
      path: contributorPath(accountPath(host, name), login),
      title: reader.words.contributions,
      person: login,
      endpoint: `contributors/${encodeURIComponent(login)}/evidence`,
      preview: ['contributors'],
      definition: [defineNumber('contributions', reader)],
    }),
  });
  add({
    path: `/${provider}/:name/contributions/languages/:language`,
    params: Type.Object({ ...AccountPath.properties, language: Type.String({ maxLength: 64 }) }),
    operationId: 'listLanguageEvidence',
    windows: 'periods',
    partRequest: ({ language }) => ({ params: { language } }),
    describe: ({ language }, { provider: host, name }, reader) => ({
      path: languagePath(host, name, language),
      title: languageNamed(language) ?? language,
      endpoint: `contributions/languages/${encodeURIComponent(language)}`,
      preview: ['contributions', { card: 'languages' }],
      definition: [defineNumber('languages', reader)],
    }),
  });
  addNumbersOfRepositories(add, provider);
  addNumbersWithOwnWindow(add, provider);
}

/** Adds the numbers whose window is that of a board, or of the condition of an achievement. */
function addNumbersWithOwnWindow(add: AddNumber, provider: string): void {
  add({
    path: `/${provider}/:name/boards/:slug/people/:login`,
    params: Type.Object({
      ...AccountPath.properties,
      slug: Type.String({ maxLength: 64 }),
      login: Type.String({ maxLength: 255, 'x-colons': true }),
    }),
    operationId: 'listBoardEvidence',
    isOfOwned: true,
    windows: 'seasons',
    details: pointsDetails,
    partRequest: ({ slug, login }) => ({ params: { slug, login } }),
    describe: ({ slug, login }, { provider: host, name }, reader) => ({
      path: `${boardPath(host, name, slug)}/people/${toPathPart(login)}`,
      title: reader.words.detail.points,
      person: login,
      endpoint: `boards/${slug}/people/${toPathPart(login)}`,
      preview: [`boards/${slug}`],
      definition: [defineNumber('points', reader)],
    }),
  });
  add({
    path: `/${provider}/:name/achievements/next`,
    params: AccountPath,
    operationId: 'listNextEvidence',
    windows: 'none',
    details: progressDetails,
    partRequest: () => ({}),
    describe: (_params, { provider: host, name }, reader) => ({
      path: progressPath(host, name),
      title: reader.language.words.nextAchievement,
      endpoint: 'achievements/next',
      preview: ['achievements'],
      definition: [defineNumber('progress', reader)],
    }),
  });
}

/** Adds the numbers of one repository. */
function addNumbersOfRepositories(add: AddNumber, provider: string): void {
  add({
    path: `/${provider}/:name/:repository/contributors/:login`,
    params: Type.Object({ ...RepositoryPath.properties, login: Type.String({ maxLength: 255 }) }),
    operationId: 'listRepositoryContributorEvidence',
    windows: 'periods',
    partRequest: ({ repository, login }) => ({ params: { repository, login } }),
    describe: ({ repository, login }, { provider: host, name }, reader) => ({
      path: contributorPath(repositoryPath(host, name, repository), login),
      title: reader.words.contributions,
      person: login,
      repository,
      endpoint: `repositories/${encodeURIComponent(repository)}/contributors/${encodeURIComponent(login)}/evidence`,
      preview: ['contributors', { repository }],
      definition: [defineNumber('contributions', reader)],
    }),
  });
  add({
    path: `/${provider}/:name/:repository/contributions/:counter`,
    params: Type.Object({ ...RepositoryPath.properties, counter: Type.Enum(countersOfRepositories) }),
    operationId: 'listRepositoryCounterEvidence',
    windows: 'periods',
    partRequest: ({ repository, counter }) => ({ params: { repository, counter } }),
    describe: ({ repository, counter }, { provider: host, name }, reader) => ({
      path: repositoryCounterPath(host, name, repository, counter),
      title: reader.language.words[counter],
      repository,
      endpoint: `repositories/${encodeURIComponent(repository)}/contributions/${counter}`,
      preview: ['contributors', { repository }],
      definition: defineCounter(counter, { isOfAll: true }, reader),
    }),
  });
}

/** Returns the details of the points of a person on a board. */
function pointsDetails(
  meta: unknown,
  { provider, name, season }: { provider: string; name: string; season: string | undefined },
  { words, language, to }: Reader,
): NumberDetails {
  const { board, person, sum, grants } = Value.Parse(BoardMeta, meta);
  const { window, rules, threshold } = board;
  const isOpen = window.since === null && window.until === null;
  const byRule = new Map(person.points_by_rule.map(({ rule, points }) => [rule, points]));
  return {
    total: person.points,
    changed: sum.remainder,
    listLink: html`<a href="${to(withQuery(boardPath(provider, name, board.slug), season === undefined ? {} : { season }))}">${board.name}</a>`,
    facts: html`<p class="facts"><span>${isOpen ? words.detail.lifetime : daysOfWindow(window, language)}</span>${threshold !== null && html`<bdi>${language.number(person.points)} / ${language.number(threshold)}</bdi>`}</p>`,
    parts: html`<section><h2>${words.detail.rules}</h2><ol class="rules">${rules.map(
      ({ number, text }) =>
        html`<li><span lang="en" dir="ltr">${text}</span> <span class="chip">${language.number(byRule.get(number) ?? 0)}</span></li>`,
    )}${grants.map(
      ({ points, reason, granted_by: by }) =>
        html`<li><bdi>${reason}</bdi> · <bdi>${by}</bdi> <span class="chip">${language.number(points)}</span></li>`,
    )}</ol></section>`,
  };
}

/** Returns the details of the progress to an award. */
function progressDetails(
  meta: unknown,
  { provider, name }: { provider: string; name: string },
  { language, to }: Reader,
): NumberDetails {
  const { progress } = Value.Parse(ProgressMeta, meta);
  const place = progress.repository.lastIndexOf('/');
  const [owner, repository] = [progress.repository.slice(0, place), progress.repository.slice(place + 1)];
  return {
    total: progress.present,
    subject: progress.name,
    changed: 0,
    listLink: html`<a href="${to(accountPath(provider, name))}#achievements">${language.words.achievementsTitle}</a>`,
    facts: html`<p class="facts"><bdi>${language.number(progress.present)} / ${language.number(progress.wanted)}</bdi><a href="${to(repositoryPath(provider, owner, repository))}"><bdi>${progress.repository}</bdi></a><code dir="ltr">${progress.condition}</code></p>`,
  };
}
