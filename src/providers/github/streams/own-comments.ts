import type { ContributionPage } from '../../provider.ts';

const commentKinds = new Set(['issue_comment', 'pull_request_comment', 'review_comment']);

/**
 * Returns a page on which comments and answers of the App's own account are nobody's: they are no contributions of anyone,
 * and the service must not award itself.
 * @param findBotName asks for the name of that account; only called where a bot wrote something on the page.
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
    // The author of a discussion's answer is named as the one who resolved it as well.
    return answeredBy === own
      ? { ...one, answeredBy: null, details: details && { ...details, resolvedBy: null } }
      : one;
  });
  return { ...page, contributions };
}
