import type { Static } from 'typebox';
import { AppError } from '../../../model/errors.ts';
import { isDenied } from '../../interface/denied.ts';
import type { Call } from '../../interface/provider.ts';
import { existing } from '../checks.ts';
import type { GitHubClient } from '../client.ts';
import { starCount, stars } from '../queries.ts';
import { Collector } from './collector.ts';
import type { PageReader } from './context.ts';
import { endOf } from './page-end.ts';
import type { StargazerPage } from './payloads.ts';

/**
 * Reads a page of the accounts that starred a repository, newest first.
 *
 * Since July 2026 GitHub shows these accounts only to administrators and collaborators
 * (https://github.blog/changelog/2026-06-30-upcoming-access-restrictions-to-public-api-endpoints-and-ui-views/): GitHub
 * refuses installations of Apps and fine-grained tokens, and shows other accounts an empty list. The number of stars is
 * public.
 */
export const readStars: PageReader = async (client, { handle }, { cursor, since, pageSize }, call) => {
  const variables = { id: handle, after: cursor, first: pageSize };
  const { total, page } = await fetchWithAny(client, variables, call);
  const collector = new Collector();
  if (page === null) return { ...collector.toPage({ nextCursor: null, total: null, pageSize }), isWithheld: true };
  for (const edge of page.edges) collector.addStar(edge);
  return collector.toPage(endOf({ ...page, totalCount: total }, page.edges.at(-1)?.starredAt, since, pageSize));
};

/** A page of the list; `page` is null where GitHub withholds it. */
interface Listed {
  /** The number of stars; null: it cannot be read. */
  total: number | null;
  page: Static<typeof StargazerPage> | null;
}

interface StarsVariables {
  id: string;
  after: string | null;
  first: number;
}

/**
 * Fetches the list with each token of a person until GitHub shows it, because only people can be collaborators. Ignores
 * that a private repository is absent for tokens other than the one that the call names.
 */
async function fetchWithAny(client: GitHubClient, variables: StarsVariables, call: Call): Promise<Listed> {
  const people = client.credentials.tokens.filter(
    ({ secret, account }) => secret !== undefined && account === undefined,
  );
  const credentialNames = new Set<string | undefined>(people.map(({ name }) => name));
  if (credentialNames.size === 0 || call.credentialName !== undefined) credentialNames.add(call.credentialName);
  let listed: Listed | undefined;
  let failure: unknown;
  for (const credentialName of credentialNames) {
    try {
      listed = await fetchStars(client, variables, credentialName === undefined ? call : { ...call, credentialName });
      if (listed.page !== null) break;
    } catch (error) {
      if (!isDenied(error) && !(isNotFound(error) && credentialName !== call.credentialName)) throw error;
      failure = error;
    }
  }
  if (listed === undefined) throw failure;
  return listed;
}

async function fetchStars(client: GitHubClient, variables: StarsVariables, call: Call): Promise<Listed> {
  try {
    const { data } = await client.graphql(stars, { ...variables }, call);
    const total = existing(data.node).stargazerCount;
    const page = data.list?.page ?? null;
    const seemsEmpty = page !== null && page.edges.length === 0 && total !== 0;
    // A later page may also be empty because its stars were removed meanwhile; then the first page is not empty.
    const isWithheld = seemsEmpty && (variables.after === null || (await isEmptyFromStart(client, variables, call)));
    return { total, page: isWithheld ? null : page };
  } catch (error) {
    if (!isDenied(error)) throw error;
    // GitHub may have refused the credential itself. When the number of stars can be read, it refused only the list.
    const { data } = await client.graphql(starCount, { id: variables.id }, call);
    return { total: existing(data.node).stargazerCount, page: null };
  }
}

async function isEmptyFromStart(client: GitHubClient, { id }: StarsVariables, call: Call): Promise<boolean> {
  const { data } = await client.graphql(stars, { id, after: null, first: 1 }, call);
  return (data.list?.page?.edges.length ?? 0) === 0;
}

function isNotFound(error: unknown): boolean {
  return error instanceof AppError && error.code === 'not_found';
}
