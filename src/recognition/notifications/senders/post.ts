import { type OutboundClient, type OutboundResponse, RefusedAddress } from '../../../hosts/outbound/client.ts';
import type { Outcome } from '../notification.ts';

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
    return { outcome: 'failed', ...reasonOf(error) };
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
function reasonOf(error: unknown): { reason: string; isFinal?: boolean } {
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
