import type { ContributionPage } from '../../provider.ts';

const commentKinds = new Set(['issue_comment', 'pull_request_comment', 'review_comment']);

/**
 * Returns a page without the authors of comments and accepted answers by the App's own account: they are not
 * contributions, and the service must not award itself.
 * @param findBotName fetches the name of that account; called only when a bot wrote something on the page.
 */
export async function withoutOwnComments(
  page: ContributionPage,
  findBotName: () => Promise<string | undefined>,
): Promise<ContributionPage> {
  const bots = page.actors.filter(({ type }) => type === 'bot');
  const authors = new Set(
    page.contributions.map(({ kind, author, answeredBy }) => (commentKinds.has(kind) ? author : answeredBy)),
  );
  if (!bots.some(({ externalId }) => authors.has(externalId))) return page;
  const name = (await findBotName())?.toLowerCase();
  const own = bots.find((bot) => bot.name.toLowerCase() === name)?.externalId;
  if (own === undefined) return page;
  const contributions = page.contributions.map((one) => {
    const { kind, author, answeredBy, details } = one;
    if (commentKinds.has(kind)) return author === own ? { ...one, author: null } : one;
    // The author of an accepted answer is also named in `resolvedBy`.
    return answeredBy === own
      ? { ...one, answeredBy: null, details: details && { ...details, resolvedBy: null } }
      : one;
  });
  return { ...page, contributions };
}
