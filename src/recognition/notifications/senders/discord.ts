import type { Content } from '../notification.ts';
import { plainName } from './plain-name.ts';

/** The most characters of an escaped name. Discord accepts 2000 in all, and a message has three names. */
const maxNameLength = 400;
const suppressEmbeds = 4;

/**
 * Returns the body for a webhook of Discord. Names are plain text, and no account is mentioned.
 * https://discord.com/developers/docs/resources/webhook#execute-webhook
 */
export function discordMessage({ person, achievement, repository }: Content): string {
  return JSON.stringify({
    content: `**${escape(person)}** earned the achievement **${escape(achievement)}** in ${escape(repository)}.`,
    allowed_mentions: { parse: [] },
    flags: suppressEmbeds,
  });
}

function escape(name: string): string {
  const escaped = plainName(name).replaceAll(/[!-/:-@[-`{-~]/g, String.raw`\$&`);
  return escaped.length > maxNameLength ? `${escaped.slice(0, maxNameLength).replace(/\\+$/, '')}…` : escaped;
}
