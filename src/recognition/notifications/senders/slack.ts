import type { Content } from '../notification.ts';
import { plainName } from '../senders.ts';

/**
 * Returns the body for an incoming webhook of Slack. Names are plain text: `<` begins a mention or a link there.
 * https://api.slack.com/reference/surfaces/formatting#escaping
 */
export function slackMessage({ person, achievement, repository }: Content): string {
  return JSON.stringify({
    text: `${escape(person)} earned the achievement “${escape(achievement)}” in ${escape(repository)}.`,
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
  });
}

function escape(name: string): string {
  return plainName(name).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
