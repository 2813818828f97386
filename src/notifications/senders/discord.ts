import type { Content } from '../notification.ts';
import { plainName } from './plain-name.ts';

/** Of 2000 characters that Discord takes for all; each may need a mark before it. */
const maxNameLength = 400;
const suppressEmbeds = 4;

/**
 * What Discord's webhooks take. Names are text and nothing else, and nobody is mentioned.
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
