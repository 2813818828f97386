import { createHmac } from 'node:crypto';
import type { Notifier } from '../../hosts/interface/notifier.ts';
import { type OutboundClient, type OutboundResponse, RefusedAddress } from '../../hosts/outbound/client.ts';
import { AppError } from '../../model/errors.ts';
import type { Attempt, Content, Outcome, Target } from './notification.ts';

const maxLength = 200;

type Discussion = Extract<Target, { title: string }>;

const nothingToWriteWith =
  'the service may not write there: at GitHub it has to be installed as an app, elsewhere it needs a token';

/** The most characters of an escaped name. Discord accepts 2000 in all, and a message has three names. */
const maxNameLength = 400;
const suppressEmbeds = 4;

const timeoutMs = 10_000;

/** Sends a message to an address. Only the status and `Retry-After` of the response matter. */
export async function post(
  outbound: OutboundClient,
  message: { url: string; headers?: Record<string, string>; body: string },
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<Outcome> {
  let response: OutboundResponse;
  try {
    response = await outbound.send({
      method: 'POST',
      url: message.url,
      headers: { 'content-type': 'application/json', 'user-agent': 'plaudit', ...message.headers },
      body: message.body,
      timeoutMs,
      maxBytes: 0,
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    return { outcome: 'failed', ...toReason(error) };
  }
  const { status, headers } = response;
  if (status >= 200 && status < 300) return { outcome: 'sent' };
  if (status >= 300 && status < 400) {
    return { outcome: 'failed', reason: `responded with status ${status}: redirects are not followed` };
  }
  const retryAt = retryTime(String(headers['retry-after'] ?? ''), now);
  return { outcome: 'failed', reason: `responded with status ${status}`, isFinal: status === 410, retryAt };
}

/** Describes a failed connection without the text of its error, which may hold addresses. */
function toReason(error: unknown): { reason: string; isFinal?: boolean } {
  const refused = findRefusal(error);
  if (refused !== undefined) return { reason: `is ${refused.message}; nothing was sent`, isFinal: true };
  const isSlow = error instanceof Error && /timeout/i.test(error.name);
  return { reason: isSlow ? `did not respond within ${timeoutMs / 1000} seconds` : 'could not be reached' };
}

function findRefusal(error: unknown): RefusedAddress | undefined {
  if (error instanceof RefusedAddress) return error;
  return error instanceof Error && error.cause !== undefined ? findRefusal(error.cause) : undefined;
}

/** Reads `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3). */
function retryTime(text: string, now: Date): Date | undefined {
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return new Date(now.getTime() + Number(text) * 1000);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : new Date(at);
}

/** Returns a secret in the notation of Standard Webhooks. https://www.standardwebhooks.com */
export function writeSecret(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`;
}

/**
 * Returns a message in the form of Standard Webhooks. Each secret signs it, so that receivers can change from the
 * former secret to the new one.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signedMessage(
  { id, provider, content }: Pick<Attempt, 'id' | 'provider' | 'content'>,
  secrets: readonly Buffer[],
  now: Date,
): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify({
    type: 'achievement.awarded',
    timestamp: content.awardedAt,
    data: {
      provider,
      person: content.person,
      achievement: plainName(content.achievement),
      repository: content.repository,
      awarded_dttm: content.awardedAt,
    },
  });
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return {
    headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') },
    body,
  };
}

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

/** Comments on a discussion. Refuses repositories of other owners, because an owner's file must not write to them. */
export async function comment(
  notifier: Notifier | undefined,
  { id, target, owner, content }: Attempt & { target: Discussion },
  signal: AbortSignal,
): Promise<Outcome> {
  // Groups may be nested, so the owner ends at the last slash.
  const cut = target.repository.lastIndexOf('/');
  const [ownerName, repository] = [target.repository.slice(0, cut), target.repository.slice(cut + 1)];
  if (ownerName.toLowerCase() !== owner.name.toLowerCase()) {
    return { outcome: 'failed', reason: 'is in a repository of another owner', isFinal: true };
  }
  if (notifier === undefined) return { outcome: 'failed', reason: nothingToWriteWith };
  const discussion = { owner: owner.externalId, ownerName: owner.name, repository, title: target.title };
  const call = { urgency: 'background', signal, cost: { requests: 0, points: 0 } } as const;
  try {
    await notifier.comment(discussion, { id, text: commentText(content) }, call);
    return { outcome: 'sent' };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return { outcome: 'failed', reason: error.message, retryAt: error.retryAt };
  }
}

/** Returns the text of a comment. Names are written as code, so that they mention no account and link nothing. */
export function commentText({ person, achievement, repository }: Content): string {
  return `🏆 ${asCode(person)} earned the achievement ${asCode(achievement)} in ${asCode(repository)}.`;
}

/** Returns a text as a code span (CommonMark, section 6.1), with more backticks around it than it contains in a row. */
function asCode(text: string): string {
  const name = plainName(text);
  const longest = Math.max(0, ...[...name.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${name}${fence}` : `${fence} ${name} ${fence}`;
}

/** Returns a name from a host or a file as one line without invisible characters, cut after 200 characters. */
function plainName(name: string): string {
  // U+200D joins emoji, so it stays.
  const line = name.replaceAll(/(?:(?!\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s])+/gu, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).replace(/\p{Cs}$/u, '')}…` : line;
}

/**
 * Returns the body for an incoming webhook of Slack. Names are plain text: `<` begins a mention or a link there.
 * https://api.slack.com/reference/surfaces/formatting#escaping
 */
export function slackMessage({ person, achievement, repository }: Content): string {
  return JSON.stringify({
    text: `${escapeForSlack(person)} earned the achievement “${escapeForSlack(achievement)}” in ${escapeForSlack(repository)}.`,
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
  });
}

function escapeForSlack(name: string): string {
  return plainName(name).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
