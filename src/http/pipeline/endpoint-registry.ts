import type { TObject, TSchema } from 'typebox';
import type { Window } from '../../model/windows/window.ts';
import { bodyReader } from '../server/body.ts';
import {
  type AccountName,
  type Endpoint,
  type HandlerResult,
  MovedRepository,
  type OwnerContext,
  type OwnerEndpoint,
  type ResolvedAccount,
} from './endpoint.ts';
import type { CardInput } from './images.ts';
import type { Cursors } from './pagination.ts';
import { parameterReader, readAs } from './parameters.ts';

/** A request for the data of an endpoint by another part of the service. */
export interface PartRequest {
  /** The path parameters that follow the name of the account. */
  params?: Readonly<Record<string, string>>;
  /** The parameters that differ from their defaults, as parsed values. */
  query?: Readonly<Record<string, unknown>>;
  /** The number of items; absent: the default of the listing. */
  limit?: number;
  /** Absent: lifetime. */
  window?: Window | undefined;
  /** A `next_cursor` of the listing; absent: its first page. */
  after?: string | undefined;
  /** True: the caller reads no cursors, whose signatures take a while. */
  isAlone?: boolean;
  /** Parts of the card input that the caller reads; absent: none. */
  cardInput?: readonly (keyof CardInput)[];
}

/** The result of an endpoint: undefined while nothing at all is known yet. */
export type PartResult = HandlerResult | MovedRepository | undefined;

/** A request of an owner by another part of the service. */
export type OwnerRequest = Pick<OwnerContext<object, object, unknown>, 'account' | 'provider' | 'caller'> &
  Partial<Pick<OwnerContext<object, object, unknown>, 'params' | 'query' | 'body' | 'page'>>;

type Call = (request: OwnerRequest) => Promise<object | undefined>;

type Read = (resolved: ResolvedAccount, request: PartRequest) => Promise<PartResult>;

/** The endpoints of the service by their operation ids. Pages read them, so that they show the same data as the API. */
export class Endpoints {
  readonly #cursors: Cursors;
  readonly #reads = new Map<string, Read>();
  readonly #calls = new Map<string, Call>();

  constructor(cursors: Cursors) {
    this.#cursors = cursors;
  }

  /** Adds an endpoint whose readers are public. */
  add<Path extends TObject, Query extends TObject, Data>(endpoint: Endpoint<Path, Query, Data>): void {
    const readParams = parameterReader(endpoint.params);
    this.#reads.set(endpoint.operationId, async (resolved, { params, query, limit, after, isAlone, ...others }) => {
      const { listing } = endpoint;
      const start =
        listing === undefined || after === undefined ? {} : this.#cursors.readStart(listing.name, { after });
      const context = {
        ...resolved,
        params: readAs(endpoint.params, readParams({ ...params, ...toAccountName(resolved) })),
        query: readAs(endpoint.query, { ...query }),
        page: { limit: limit ?? listing?.defaultLimit ?? 0, start, isAlone },
        window: others.window,
        image: undefined,
        cardInput: others.cardInput,
      };
      const data = await endpoint.load(context);
      if (data === undefined) return undefined;
      return data instanceof MovedRepository ? data : endpoint.present(data, context);
    });
  }

  /** Adds an endpoint for owners. */
  addOwned<Path extends TObject, Query extends TObject, Body extends TSchema, Data>(
    endpoint: OwnerEndpoint<Path, Query, Body, Data>,
  ): void {
    const { operationId, body: schema, listing, load, present } = endpoint;
    const readParams = parameterReader(endpoint.params);
    this.#calls.set(operationId, async ({ params, query, body, page, ...owner }) => {
      const context = {
        ...owner,
        params: readAs(endpoint.params, readParams({ ...params, ...toAccountName(owner) })),
        query: readAs(endpoint.query, { ...query }),
        body: readAs(schema, schema && bodyReader(schema)(body)),
        page: page ?? { limit: listing?.defaultLimit ?? 0, start: {} },
      };
      const data = await load(context);
      return present?.(data, context);
    });
  }

  /**
   * Calls an endpoint for an owner whose rights the caller of this method has checked.
   * @returns the body of the response, or its lines; undefined for one without a body.
   * @throws AppError as the endpoint does.
   */
  async call(operationId: string, request: OwnerRequest): Promise<object | undefined> {
    const call = this.#calls.get(operationId);
    if (call === undefined) throw new Error(`there is no endpoint ${operationId}`);
    return call(request);
  }

  /**
   * Reads a page of an endpoint for a visitor.
   * @throws AppError as the endpoint does.
   */
  async read(operationId: string, resolved: ResolvedAccount, request: PartRequest = {}): Promise<PartResult> {
    const read = this.#reads.get(operationId);
    if (read === undefined) throw new Error(`there is no endpoint ${operationId}`);
    return read({ ...resolved, isOwner: false }, request);
  }
}

function toAccountName({ account: { provider, name } }: Pick<ResolvedAccount, 'account'>): AccountName {
  return { provider, name };
}
