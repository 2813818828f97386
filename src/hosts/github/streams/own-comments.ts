import type { ContributionPage } from '../../interface/provider.ts';

const commentKinds = new Set(['issue_comment', 'pull_request_comment', 'review_comment']);

/**
 * Returns a page in which comments and accepted answers of the App's bot account have no author, because they are not
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
  const botId = bots.find((bot) => bot.name.toLowerCase() === name)?.externalId;
  if (botId === undefined) return page;
  const contributions = page.contributions.map((contribution) => {
    const { kind, author, answeredBy, details } = contribution;
    if (commentKinds.has(kind)) return author === botId ? { ...contribution, author: null } : contribution;
    // The author of an accepted answer is also named in `resolvedBy`.
    return answeredBy === botId
      ? { ...contribution, answeredBy: null, details: details && { ...details, resolvedBy: null } }
      : contribution;
  });
  return { ...page, contributions };
}
