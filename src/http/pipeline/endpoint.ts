import type { FastifyContextConfig } from 'fastify';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { Provider } from '../../hosts/interface/provider.ts';
import type { Account } from '../../model/account.ts';
import type { Window } from '../../model/windows/window.ts';
import type { Tag } from '../description/document.ts';
import type { Caller } from './caller.ts';
import { type dataTypes, EmptySchema, type Envelope, type ListDetails } from './envelope.ts';
import type { CardInput, ImageRequest } from './images.ts';
import type { PageStart } from './pagination.ts';
import { ProblemSchema } from './problem.ts';
import type { Requester } from './requester.ts';

/** The path parameters of every endpoint about an account. */
export const AccountPath = Type.Object({
  provider: Type.String({
    maxLength: 100,
    'x-lower-case': true,
    description: 'Identifier of the code host, e.g. `github`; the letter case does not matter.',
    examples: ['github'],
  }),
  name: Type.String({
    maxLength: 255,
    'x-colons': true,
    description:
      'Account name on the provider; the letter case does not matter. Of a group below another at GitLab `group:sub`.',
    examples: ['octocat'],
  }),
});

/** The path parameters of an endpoint about a repository of an account. */
export const RepositoryPath = Type.Object({
  ...AccountPath.properties,
  repository: Type.String({
    maxLength: 255,
    description: 'Name of a repository of the account.',
    examples: ['hello-world'],
  }),
});

export type AccountName = Static<typeof AccountPath>;

/** The account that the name in a request stands for, or the reason why there is none. */
export type Resolution =
  | KnownResolution
  /** The provider has not responded before the deadline; the lookup continues. */
  | { state: 'pending' }
  | { state: 'absent' };

export interface KnownResolution {
  /** `renamed`: the account had the name before. `other_name`: the account of the token never had the name. */
  state: 'present' | 'renamed' | 'other_name';
  account: Account;
  provider: Provider;
  /** False when only the owner of the account may see it. */
  isPublic: boolean;
}

/** The terms on which a request starts lookups and waits for them. */
export interface LookupTerms {
  /** The time until which the caller waits. */
  deadline: Date;
  requester: Requester;
}

/** Finds the accounts of requests. The pipeline knows accounts by this interface alone. */
export interface AccountResolver {
  /**
   * Finds the account of a name. Waits until the deadline for an account that is not stored. Does not wait for a
   * delayed lookup, but stores its time in `requester.wait`.
   * @throws AppError `not_found` when there is no such provider; a provider's error when the lookup failed.
   */
  resolve(name: AccountName, terms: LookupTerms): Promise<Resolution>;
  /**
   * Finds the account of a token, and compares the name in the request with it. Sends no request to the provider.
   * @throws AppError `not_found` when there is no such provider.
   */
  resolveOwn(name: AccountName, accountId: string): Promise<Resolution>;
}

/** The resolved account of a request. */
export interface ResolvedAccount extends LookupTerms {
  account: Account;
  provider: Provider;
  /** True when the caller has proved to own the account. */
  isOwner: boolean;
}

/** The page of a listing that a request wants. */
export interface RequestedPage {
  limit: number;
  start: PageStart;
  /** True: no cursors to other pages are wanted. */
  isAlone?: boolean | undefined;
}

/** The request context: the resolved account and the parsed parameters. */
export interface RequestContext<Path, Query> extends ResolvedAccount {
  params: Path;
  query: Query;
  page: RequestedPage;
  /**
   * The window of time of the request; undefined without one, and where the endpoint declares no `WindowParameters`.
   */
  window: Window | undefined;
  /** The card to draw; undefined for a response in JSON. */
  image: ImageRequest | undefined;
  /** The parts of the card input that are wanted without an image; absent: none. */
  cardInput?: readonly (keyof CardInput)[] | undefined;
}

/** The request context of an endpoint for owners. */
export interface OwnerContext<Path, Query, Body> {
  account: Account;
  provider: Provider;
  caller: Caller;
  params: Path;
  query: Query;
  body: Body;
  page: RequestedPage;
}

/** The result of loading when the requested repository has another name now. */
export class MovedRepository {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** The handler result: the response as JSON, and the facts about it that cards, caches and clients need. */
export interface HandlerResult {
  envelope: Envelope;
  /** The time at which the data is due for a refresh. */
  staleAt: Date;
  /** The time of the last change of the response, for readers of feeds, which have no entity tags. */
  modifiedAt?: Date;
  /** True when the data is public only until its owner withdraws it. */
  isWithdrawable?: boolean;
  /** The response as a document of another media type, which is sent instead of JSON. */
  document?: TextDocument;
  /** Further data that only cards show. */
  cardInput?: Omit<CardInput, 'envelope'>;
  /** The response as CSV, which is sent instead of JSON. */
  csv?: string;
  /** False when the response depends on more than this account's own data, so that it cannot be cached. */
  isCacheable?: boolean;
}

/** A response that is neither JSON, CSV nor an image. */
interface TextDocument {
  body: string;
  contentType: `${DocumentType}; charset=utf-8`;
}

const documentTypes = ['application/atom+xml', 'application/yaml', 'application/jwt'] as const;
type DocumentType = (typeof documentTypes)[number];

interface EndpointBase<Path extends TObject> {
  path: string;
  /** The name of the endpoint in the description of the API, by which generated clients call it. */
  operationId: string;
  tag: Tag;
  summary: string;
  description?: string;
  params: Path;
  /** The name that the cursors of the listing are bound to, and the number of items on a page. */
  listing?: { name: string; defaultLimit: number };
}

export type Readers = 'public' | 'owner';

/** An endpoint whose response is rendered once and cached, as JSON or as a card. */
export interface Endpoint<Path extends TObject, Query extends TObject, Data> extends EndpointBase<Path> {
  query: Query;
  /**
   * The readers: all callers, or only the owner with a service token of the account. A function decides for each
   * request without a token; requests with a token then need one of the account.
   */
  readers: Readers | ((request: { isImage: boolean }) => Readers);
  dataType: keyof typeof dataTypes;
  /** The items of the response in JSON; undefined where there is only an image. */
  item?: TSchema;
  /** Properties of `meta_data` that only this endpoint has. */
  details?: ListDetails;
  /** The media types of responses in other forms than JSON and images. */
  documents?: readonly DocumentType[];
  /** The cards that can be drawn from the response; the first is the default. */
  cards?: readonly [string, ...string[]];
  /** True: the result may be CSV. */
  hasCsv?: true;
  /**
   * Reads the data from the stores.
   * @returns undefined while nothing is known yet; the client then receives 202.
   */
  load: (context: RequestContext<Static<Path>, Static<Query>>) => Promise<Data | MovedRepository | undefined>;
  /** Returns the response of the data. It reads nothing: the same data gives the same response. */
  present: (data: Data, context: RequestContext<Static<Path>, Static<Query>>) => HandlerResult;
}

/** The times at which the host confirms an administrator again: see `confirmOwner`. */
export type Confirmation = 'if doubtful' | 'live';

/** An endpoint for owners whose response no cache may store: it reads private data or changes something. */
export interface OwnerEndpoint<Path extends TObject, Query extends TObject, Body extends TSchema, Data>
  extends EndpointBase<Path> {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  query?: Query;
  body?: Body;
  /** The rights that the token needs: `manage` where something changes. */
  needs: 'read' | 'manage';
  /** The confirmation of an administrator before; absent: `if doubtful` for `manage`, none for `read`. */
  confirmation?: Confirmation;
  config?: FastifyContextConfig;
  /** The largest body in bytes; absent: the limit of all routes. */
  bodyLimit?: number;
  /** The schema of the response, or its content by media type; absent for a response without a body. */
  response?: TSchema | { content: Record<string, { schema: TSchema }> };
  /** 201 where something was created; absent: 200, or 204 without a body. */
  status?: 201;
  /** Reads or changes data in the stores. */
  load: (context: OwnerContext<Static<Path>, Static<Query>, Static<Body>>) => Promise<Data>;
  /** Returns the body of the response, or its lines; absent for a response without a body. */
  present?: (data: Data, context: OwnerContext<Static<Path>, Static<Query>, Static<Body>>) => object;
}

/** The responses of endpoints about an account, beside those of all routes (`description/components.ts`). */
export const problemResponses = { 301: EmptySchema, 502: ProblemSchema };

/** The responses of endpoints about an account that need a credential. */
export const privateProblemResponses = { ...problemResponses, 403: ProblemSchema };

/** The responses of endpoints about an account that change data. */
export const changeProblemResponses = {
  308: EmptySchema,
  403: ProblemSchema,
  409: ProblemSchema,
  502: ProblemSchema,
};
