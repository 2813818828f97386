import type { Content } from '../notification.ts';
import { plainName } from './plain-name.ts';

/** Of 2000 characters that Discord takes; each may need a mark before it. */
const maxNameLength = 300;
const suppressEmbeds = 4;

/**
 * What Discord's webhooks take. Names are text and nothing else, and nobody is mentioned.
 * https://discord.com/developers/docs/resources/webhook#execute-webhook
 */
export function discordMessage({ person, achievement, repository }: Content): string {
  const name = (text: string): string => {
    const escaped = plainName(text).replaceAll(/[\\*_~|`>#\-[\]()<@:+.!/]/g, String.raw`\$&`);
    return escaped.length > maxNameLength ? `${escaped.slice(0, maxNameLength).replace(/\\+$/, '')}…` : escaped;
  };
  return JSON.stringify({
    content: `**${name(person)}** earned the achievement **${name(achievement)}** in ${name(repository)}.`,
    allowed_mentions: { parse: [] },
    flags: suppressEmbeds,
  });
}
