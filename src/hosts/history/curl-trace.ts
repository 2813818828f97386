/** The status and headers of a remote's response to one request of git. */
export interface HttpResponse {
  status: number;
  /** The target of a redirect, as it was sent. */
  location: string | undefined;
  /** The header as it was sent. */
  retryAfter: string | undefined;
  contentType: string | undefined;
}

/** None of the headers that are read is longer. */
const maxLineLength = 8 * 1024;

/**
 * Reads response headers from the output of GIT_TRACE_CURL: git itself reports little about a response, and nothing
 * about the target of a redirect.
 */
export class CurlTrace {
  lastResponse: HttpResponse | undefined;
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
    if (status !== undefined) {
      this.lastResponse = {
        status: Number(status),
        location: undefined,
        retryAfter: undefined,
        contentType: undefined,
      };
    }
    const [, name, value] = /^([\w-]+): (.*)$/.exec(header.trimEnd()) ?? [];
    if (this.lastResponse === undefined || value === undefined) return;
    if (name?.toLowerCase() === 'location') this.lastResponse.location = value;
    if (name?.toLowerCase() === 'retry-after') this.lastResponse.retryAfter = value;
    if (name?.toLowerCase() === 'content-type') this.lastResponse.contentType = value;
  }
}
