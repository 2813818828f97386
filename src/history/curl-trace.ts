/** How a remote answered one request of git. */
export interface HttpAnswer {
  status: number;
  /** Of a redirect: where to, as it was sent. */
  location: string | undefined;
  /** The header as it was sent. */
  retryAfter: string | undefined;
}

/** No header that is looked at is longer. */
const maxLineLength = 8 * 1024;

/**
 * Reads the answers' headers out of what git writes for GIT_TRACE_CURL: git itself tells little of how it was answered,
 * and where a redirect leads not at all.
 */
export class CurlTrace {
  lastAnswer: HttpAnswer | undefined;
  #rest = '';

  push(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = (lines.pop() ?? '').slice(0, maxLineLength);
    for (const line of lines) this.#readLine(line);
  }

  #readLine(line: string): void {
    const [, header] = /<= Recv header: (.*)$/.exec(line) ?? [];
    if (header === undefined) return;
    const [, status] = /^HTTP\/[\d.]+ (\d{3})/.exec(header) ?? [];
    if (status !== undefined) this.lastAnswer = { status: Number(status), location: undefined, retryAfter: undefined };
    const [, name, value] = /^([\w-]+): (.*)$/.exec(header.trimEnd()) ?? [];
    if (this.lastAnswer === undefined || value === undefined) return;
    if (name?.toLowerCase() === 'location') this.lastAnswer.location = value;
    if (name?.toLowerCase() === 'retry-after') this.lastAnswer.retryAfter = value;
  }
}
