import { createHmac } from 'node:crypto';
import type { Attempt } from '../notification.ts';
import { plainName } from './plain-name.ts';

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
