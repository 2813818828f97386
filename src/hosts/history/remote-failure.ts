import { AppError, type ErrorCode, formatRedirect } from '../../model/errors.ts';
import { type GitEnd, gitMemoryMiB, type RemoteAccess } from './git.ts';

/** A history that is larger than it may be. Another fetch soon would cost as much and fail again. */
export class HistoryTooLarge extends AppError {
  /** @param excess the rest of a sentence about the history. */
  constructor(excess: string) {
    super('provider_invalid_response', `The history ${excess}`);
  }
}

/** A history with an object, such as a commit with a message of hundreds of MiB, for which git lacks memory. */
export class HistoryOutOfMemory extends HistoryTooLarge {
  constructor() {
    super(`needs more memory than the ${gitMemoryMiB} MiB that git may use here.`);
  }
}

/** The words of the operating system, Node and git about a disk without space or inodes, and about a quota that is used up. */
const noSpace = /ENOSPC|EDQUOT|No space left|quota exceeded/i;

const diskFull = 'The disk of DATA_DIR, with the histories, is full, or has no free inodes.';

const messages = {
  not_found: 'The repository does not exist, or cannot be seen.',
  provider_denied: 'The provider denies access to the history.',
  provider_rate_limited: 'The provider limits how often histories are read.',
  provider_unavailable: 'The provider cannot be reached by git, or does not answer.',
  provider_invalid_response: 'What the provider sends is not a history that git understands.',
  misconfigured: 'The directory of the histories (in DATA_DIR) cannot be written.',
} as const satisfies Partial<Record<ErrorCode, string>>;

/**
 * Returns the error for a git process that failed at a remote. Git's own message stays in the cause, without the
 * credential.
 */
export function remoteFailure(end: GitEnd, { authorization, url }: RemoteAccess, now: Date): AppError {
  if (end.isSilent) return new AppError('provider_unavailable', 'git gets no response from the host.');
  const reason = ownWords(end.complaint);
  const code = toCode(end, reason);
  const retryAt = retryTime(end.response?.retryAfter, now);
  const message = toMessage(code, reason);
  const cause = new Error(withoutCredential(reason, authorization));
  const redirect = isRedirect(end) ? formatRedirect(end.response?.location, url) : undefined;
  return new AppError(code, message, {
    cause,
    retryAt,
    reason: redirect && withoutCredential(redirect, authorization),
  });
}

function isRedirect({ response }: GitEnd): boolean {
  return response !== undefined && response.status >= 300 && response.status < 400;
}

/** The words of curl and its TLS libraries (OpenSSL and GnuTLS) about a connection that git could not make, which git quotes. */
const causes: readonly (readonly [RegExp, string])[] = [
  [/certificate/i, 'git does not trust the certificate of the host: set CA_FILE to the file of its authority.'],
  [/Could not resolve/i, 'git cannot resolve the name of the host, or of its proxy.'],
  [/Failed to connect|Couldn't connect|Connection refused|timed? ?out/i, 'git gets no connection to the host.'],
];

function toMessage(code: keyof typeof messages, reason: string): string {
  if (code === 'misconfigured') return describeDiskFault(reason, messages.misconfigured);
  if (code !== 'provider_unavailable') return messages[code];
  const known = causes.find(([pattern]) => pattern.test(reason));
  return known === undefined ? messages.provider_unavailable : known[1];
}

function toCode({ response }: GitEnd, reason: string): keyof typeof messages {
  if (isDiskFull(reason) || /Read-only file system|Permission denied/.test(reason)) return 'misconfigured';
  if (response === undefined) return codeWithoutStatus(reason);
  const { status, retryAfter } = response;
  if (status === 429 || (status === 403 && retryAfter !== undefined)) return 'provider_rate_limited';
  if (status === 404 || status === 410) return 'not_found';
  if (status >= 500) return 'provider_unavailable';
  // 451: a takedown for legal reasons (https://docs.github.com/site-policy/content-removal-policies).
  if (status === 401 || status === 403 || status === 451 || (status >= 300 && status < 400)) return 'provider_denied';
  if (status >= 400) return 'provider_invalid_response';
  return codeWithoutStatus(reason);
}

/**
 * Returns the code of a failure that no status explains: git's message distinguishes a lost connection from an
 * unreadable response or a damaged copy.
 */
function codeWithoutStatus(reason: string): 'provider_denied' | 'provider_unavailable' | 'provider_invalid_response' {
  // A branch that moved between two requests can be fetched a moment later.
  if (/not our ref/.test(reason)) return 'provider_unavailable';
  if (/remote error/.test(reason)) return 'provider_denied';
  const isCutOff = /early EOF|hung up|unexpected disconnect|RPC failed|unable to access/.test(reason);
  return isCutOff ? 'provider_unavailable' : 'provider_invalid_response';
}

/** Returns the lines that git itself wrote: the remote's lines could contain anything. */
function ownWords(complaint: string): string {
  const lines = complaint.split(/[\r\n]+/).filter((line) => /^(fatal|error): /.test(line));
  return lines.join('; ');
}

/** Redacts the credential: a remote may send it back, and git may quote it. */
function withoutCredential(text: string, authorization: string | undefined): string {
  const encoded = authorization?.split(' ') ?? [];
  const decoded = encoded.flatMap((part) => Buffer.from(part, 'base64').toString('utf8').split(':'));
  const secrets = [...encoded, ...decoded].filter((part) => part.length >= 4).toSorted((a, b) => b.length - a.length);
  return secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '[redacted]'), text);
}

/** The longest wait, in s, that is accepted from a host: no code host documents a longer window for its limits. */
const longestWaitS = 3600;

/** Reads `Retry-After` (RFC 9110, section 10.2.3) in its form of seconds, which code hosts use. */
function retryTime(retryAfter: string | undefined, now: Date): Date | undefined {
  if (retryAfter === undefined || !/^\d+$/.test(retryAfter)) return undefined;
  return new Date(now.getTime() + Math.min(longestWaitS, Math.max(1, Number(retryAfter))) * 1000);
}

/** Returns the sentence about a full disk, for everyone, where a failure says so; otherwise the given one. */
export function describeDiskFault(failure: unknown, otherwise: string): string {
  return isDiskFull(failure instanceof Error ? failure.message : String(failure)) ? diskFull : otherwise;
}

function isDiskFull(reason: string): boolean {
  return noSpace.test(reason);
}

/** Returns whether git itself, and not the remote, wrote that it has no memory left. */
export function isOutOfMemory(complaint: string): boolean {
  return /^(?:fatal|error): (?!remote error).*(?:out of memory|Cannot allocate memory)/im.test(complaint);
}
