import { AppError } from '../../model/errors.ts';
import type { Call } from '../interface/call.ts';
import { isDenied } from '../interface/denied.ts';
import type { Credential } from './credential.ts';
import {
  type ConnectionLimits,
  HttpTransport,
  isTimeout,
  type RawResponse,
  Redirected,
  type RedirectRule,
} from './http-transport.ts';
import type { RequestScheduler } from './request-scheduler.ts';

/** The rules of a kind of host that decide what its responses mean for the next requests. */
interface HostRules<C extends Credential> {
  redirectTo: RedirectRule;
  /** Stores what a response says about the credential of its request. */
  recordLimits: (credential: C, resource: string, response: RawResponse) => void;
  isLimited: (response: RawResponse) => boolean;
  /**
   * Blocks the next requests after a refusal because of a limit.
   * @throws AppError when only this request has to wait.
   */
  block: (credential: C, response: RawResponse) => void;
  /** Returns the error to throw for a response that arrived broken, which a repetition may save; undefined: another. */
  garbled: (error: unknown) => AppError | undefined;
  unavailable: (cause: unknown) => AppError;
}

export interface HostRequest<C extends Credential, Result> {
  address: string;
  /** Sent with POST; undefined: the request is a GET. */
  body?: string | undefined;
  /** The part of the API that the host limits separately. */
  resource: string;
  /** Returns the credentials that may be used, the preferred one first. */
  candidates: () => readonly C[];
  headers: (secret: string | undefined) => Record<string, string>;
  /** True when the request is sent once, because it may have had its effect even where no response arrives. */
  isWriting?: boolean;
  /** Reads a response; `limited`: it is a refusal because of a limit. */
  read: (response: RawResponse, credential: C) => Result | 'limited';
}

/** The most attempts of a request whose connection breaks or whose response is garbled. */
const maxAttempts = 2;

/** Sends requests to the API of one host, within its limits. All providers of code hosts use it. */
export class HostTransport<C extends Credential> {
  readonly #scheduler: RequestScheduler;
  readonly #rules: HostRules<C>;
  readonly #transport: HttpTransport;
  readonly #now: () => Date;

  constructor(options: {
    limits: ConnectionLimits;
    scheduler: RequestScheduler;
    rules: HostRules<C>;
    now: () => Date;
  }) {
    this.#scheduler = options.scheduler;
    this.#rules = options.rules;
    this.#now = options.now;
    this.#transport = new HttpTransport(options.limits);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /**
   * Sends a request until a usable response comes: with another credential after a refusal, and once more after a
   * broken connection.
   * @throws Redirected when the rules do not follow the host's redirect.
   */
  async send<Result>(request: HostRequest<C, Result>, call: Call): Promise<Result> {
    const { resource, candidates, isWriting = false } = request;
    for (let attempts = 1; ; ) {
      using lease = await this.#scheduler.acquire({ resource, call, candidates });
      try {
        const outcome = await this.#attempt(request, lease.credential, call);
        if (outcome !== 'refused') return outcome.result;
        // The next iteration takes another credential, or throws when there is none.
        this.#scheduler.reconsider();
      } catch (error) {
        const failure = this.#retryable(error, call);
        if (failure === undefined) throw error;
        const isLate = call.signal.aborted || (error instanceof ConnectionFailure && isTimeout(error.cause));
        if (isWriting || attempts >= maxAttempts || isLate) throw failure;
        attempts += 1;
      }
    }
  }

  /**
   * Returns the error of a request that a repetition may save. Any other exception is a fault of this service and is
   * thrown unchanged, so that operators do not search for its cause at the host.
   */
  #retryable(error: unknown, { signal }: Call): AppError | undefined {
    if (error instanceof ConnectionFailure) return this.#rules.unavailable(error.cause);
    // An aborted wait for the secret throws the reason of the caller's signal.
    if (signal.aborted && !(error instanceof AppError)) return this.#rules.unavailable(error);
    return this.#rules.garbled(error);
  }

  async #attempt<Result>(
    request: HostRequest<C, Result>,
    credential: C,
    call: Call,
  ): Promise<{ result: Result } | 'refused'> {
    const secret = await this.#findSecret(credential, call.signal);
    if (secret === 'refused') return 'refused';
    const response = await this.#exchange(request, secret?.value, call);
    this.#rules.recordLimits(credential, request.resource, response);
    if (response.status === 401 && secret !== undefined) {
      if (credential.secret?.reject(secret.value) !== true) credential.refuse(this.#now());
      return 'refused';
    }
    // Hosts that fail check no credential.
    if (response.status < 500) credential.accept();
    if (response.redirect !== undefined) throw new Redirected(response.redirect);
    const result = this.#rules.isLimited(response) ? 'limited' : request.read(response, credential);
    if (result === 'limited') {
      this.#rules.block(credential, response);
      return 'refused';
    }
    credential.backoff.forgive();
    return { result };
  }

  /** Returns the secret of a credential; undefined: the request is sent without one. */
  async #findSecret(credential: C, signal: AbortSignal): Promise<{ value: string } | undefined | 'refused'> {
    if (credential.secret === undefined) return undefined;
    try {
      return { value: await credential.secret.get(signal) };
    } catch (error) {
      if (!isDenied(error)) throw error;
      credential.refuse(this.#now());
      return 'refused';
    }
  }

  async #exchange<Result>(
    { address, body, headers: headersFor }: HostRequest<C, Result>,
    secret: string | undefined,
    call: Call,
  ): Promise<RawResponse> {
    const headers = headersFor(secret);
    const sent = this.#transport.send(address, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body,
      signal: call.signal,
      redirectTo: this.#rules.redirectTo,
      onSend: () => {
        call.cost.requests += 1;
      },
    });
    try {
      return await sent;
    } catch (cause) {
      throw new ConnectionFailure('no response', { cause });
    }
  }
}

/** The error for a request without a complete response; its cause is the error of the connection. */
class ConnectionFailure extends Error {}
