import { type TObject, Type } from 'typebox';
import { languageNamed } from '../../../contributions/languages/linguist.ts';
import { AccountPath, RepositoryPath } from '../../../http/pipeline/endpoint.ts';
import { toPathPart } from '../../../model/account.ts';
import { counterNames } from '../../../model/counters.ts';
import {
  accountPath,
  boardPath,
  contributorPath,
  counterPath,
  languagePath,
  progressPath,
  repositoryCounterPath,
  repositoryPath,
} from '../addresses.ts';
import { defineCounter, defineNumber } from '../definitions.ts';
import { pointsDetails } from './board-evidence.ts';
import type { NumberKind } from './evidence-page.ts';
import { progressDetails } from './progress-evidence.ts';

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
