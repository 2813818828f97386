/** The outcome of a call: `data` of a success, `error` of a failure. */
export interface Outcome<Data> {
  data?: Data | undefined;
  error?: unknown;
  response?: Response | undefined;
}

/** A response that is not a success, or whose data is not known yet. */
export class PlauditError extends Error {
  /** The status of the response; 202 while the data is being collected, 0 without a response. */
  readonly status: number;
  /** The number of the error in the API; undefined where the response has none. */
  readonly code: number | undefined;
  /** The seconds after which a request can have another result; undefined where it is not known. */
  readonly retryAfterS: number | undefined;

  constructor(error: unknown, response: Response | undefined) {
    const { code, message }: { code?: unknown; message?: unknown } = Object(Object(error).error);
    super(typeof message === 'string' ? message : describe(response));
    this.name = 'PlauditError';
    this.status = response?.status ?? 0;
    this.code = typeof code === 'number' ? code : undefined;
    this.retryAfterS = Number(response?.headers.get('retry-after')) || undefined;
  }
}

function describe(response: Response | undefined): string {
  if (response === undefined) return 'There was no response.';
  return response.status === 202 ? 'The data is being collected.' : `The response has status ${response.status}.`;
}

/** The type of the items of a page. */
export type ItemOf<Page> = Page extends { data: readonly (infer Item)[] } ? Item : never;

/**
 * Returns the data of a call.
 * @throws PlauditError when the call failed, or its data is not known yet.
 */
export async function unwrap<Data>(call: Promise<Outcome<Data>>): Promise<Data> {
  const { data, error, response } = await call;
  if (error !== undefined || data === undefined || response?.status === 202) throw new PlauditError(error, response);
  return data;
}

/**
 * Yields the items of a listing, page by page.
 * @param fetchPage calls an endpoint with `query: { after }`.
 * @param options.maxPages the number of pages after which it ends, even when more follow. Default: 1000.
 * @throws PlauditError when a call failed, or its data is not known yet.
 */
export function items<Page>(
  fetchPage: (after: string | undefined) => Promise<Outcome<Page>>,
  options?: { maxPages?: number },
): AsyncGenerator<ItemOf<Page>, void, undefined>;
export async function* items(
  fetchPage: (after: string | undefined) => Promise<Outcome<{ data: readonly unknown[]; next_cursor?: string }>>,
  { maxPages = 1000 }: { maxPages?: number } = {},
): AsyncGenerator<unknown, void, undefined> {
  let after: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const { data, next_cursor: next } = await unwrap(fetchPage(after));
    yield* data;
    if (next === undefined) return;
    after = next;
  }
}
