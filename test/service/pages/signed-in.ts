import assert from 'node:assert/strict';
import type { Simulator } from '../../../simulators/github/simulator.ts';
import type { TokenName } from '../../../simulators/github/tokens.ts';
import type { ServiceResponse, TestService } from '../../e2e/service.ts';

const acceptsPages = { accept: 'text/html' };
let visitors = 0;

/**
 * A browser without JavaScript: it keeps cookies, follows no redirect and fills in forms. Where the service trusts its
 * proxy, each has an address of its own, so that the limit of attempts is not met.
 */
export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly #service: TestService;
  readonly #address: string;

  constructor(service: TestService) {
    this.#service = service;
    visitors += 1;
    this.#address = `10.4.${visitors >> 8}.${visitors & 255}`;
  }

  async get(path: string): Promise<ServiceResponse> {
    return this.#keep(await this.#service.get(path, { headers: this.#headers() }));
  }

  /** Sends a form with the token of the last page that was given. */
  async post(path: string, fields: Record<string, string>): Promise<ServiceResponse> {
    const headers = { ...this.#headers(), 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(fields).toString();
    return this.#keep(await this.#service.get(path, { method: 'POST', headers, body }));
  }

  #headers(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return { ...acceptsPages, 'x-forwarded-for': this.#address, ...(cookie !== '' && { cookie }) };
  }

  #keep(response: ServiceResponse): ServiceResponse {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', maxAge = ''] = line.split('; ');
      const [name = '', value = ''] = pair.split('=');
      if (maxAge === 'Max-Age=0') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }
}

/** Returns the token of the forms of a page. */
export function formToken({ text }: ServiceResponse): string {
  return /name="form_token" value="([\w-]+)"/.exec(text)?.[1] ?? '';
}

/** Returns the settings with which people can sign in at a simulated GitHub. */
export const signInSettings = {
  GITHUB_OAUTH_CLIENT_ID: 'a-client',
  GITHUB_OAUTH_CLIENT_SECRET: 'a-client-secret-0123456789',
};

/** Follows a redirect of the service to the host, and returns the path with which the host sends the browser back. */
export async function atHost(toHost: ServiceResponse): Promise<string> {
  assert.equal(toHost.status, 303, toHost.text);
  const response = await fetch(toHost.headers.get('location') ?? '', { redirect: 'manual' });
  assert.equal(response.status, 302, await response.text());
  const { pathname, search } = new URL(response.headers.get('location') ?? '');
  return `${pathname}${search}`;
}

/** Signs a person in. */
export async function signIn(
  service: TestService,
  simulator: Pick<Simulator, 'signIn'>,
  person: TokenName,
  query = '',
): Promise<Visitor> {
  const visitor = new Visitor(service);
  simulator.signIn.person = person;
  const back = await atHost(await visitor.get(`/sign-in/github${query}`));
  const response = await visitor.get(back);
  assert.equal(response.status, 303, response.text);
  return visitor;
}
