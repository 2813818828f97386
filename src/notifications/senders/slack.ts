import type { Content } from '../notification.ts';
import { plainName } from './plain-name.ts';

/**
 * What Slack's incoming webhooks take. Names are text and nothing else: `<` begins a mention or a link there.
 * https://api.slack.com/reference/surfaces/formatting#escaping
 */
export function slackMessage({ person, achievement, repository }: Content): string {
  const name = (text: string): string =>
    plainName(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return JSON.stringify({
    text: `${name(person)} earned the achievement “${name(achievement)}” in ${name(repository)}.`,
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
  });
}
