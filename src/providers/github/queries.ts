import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import type { Query } from './client.ts';
import {
  DiscussionsPayload,
  IssuesPayload,
  MoreReviewsPayload,
  NamedRepositoryPayload,
  OwnedRepositoriesPayload,
  PullRequestsPayload,
  StarredRepositoriesPayload,
} from './payloads.ts';

const read = (file: string): string => readFileSync(new URL(`./queries/${file}.graphql`, import.meta.url), 'utf8');

const actor = read('fragments');
const repository = read('repositories');
const review = read('reviews');

/** Fragments of the query for an account, which is put together for the spans that are asked for. */
export const accountFragments = read('account');

function query<Schema extends TSchema>(name: string, answer: Schema, ...texts: string[]): Query<Schema> {
  return { name, answer, text: texts.join('\n') };
}

export const ownedRepositories = query(
  'OwnedRepositories',
  OwnedRepositoriesPayload,
  read('owned-repositories'),
  repository,
);
export const namedRepository = query('NamedRepository', NamedRepositoryPayload, read('named-repository'), repository);
export const issues = query('Issues', IssuesPayload, read('issues'), actor);
export const pullRequests = query('PullRequests', PullRequestsPayload, read('pull-requests'), review, actor);
export const moreReviews = query('MoreReviews', MoreReviewsPayload, read('more-reviews'), review, actor);
export const discussions = query('Discussions', DiscussionsPayload, read('discussions'), actor);
export const starredRepositories = query(
  'StarredRepositories',
  StarredRepositoriesPayload,
  read('starred-repositories'),
);
