import assert from 'node:assert/strict';
import type { Simulator } from '../../../simulators/github/simulator.ts';
import type { TokenName } from '../../../simulators/github/tokens.ts';
import type { ServiceResponse, TestService } from '../../e2e/service.ts';
import { until } from '../../time.ts';

/** Returns headers that present a token. */
export function bearer(token: string): { headers: { authorization: string } } {
  return { headers: { authorization: `Bearer ${token}` } };
}

/** Requests a service token as the owner of an account would, and again while the service is too busy. */
export async function serviceToken(
  service: TestService,
  simulator: Pick<Simulator, 'tokens'>,
  owner: { name: string; token: TokenName },
): Promise<string> {
  const response = await until(async () => {
    const answered = await service.get(`${owner.name}/token`, bearer(simulator.tokens[owner.token]));
    return answered.status === 503 ? undefined : answered;
  }, 'the service responds about a token');
  assert.equal(response.status, 200, response.text);
  return tokenIn(response);
}

export function tokenIn({ text }: ServiceResponse): string {
  const { data } = JSON.parse(text) as { data: { token: string } };
  return data.token;
}

/** Returns a request that sends JSON with a token. */
export function jsonRequest(method: string, token: string, body?: unknown): RequestInit {
  return {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

let addresses = 0;

/** Returns a request from an address of its own, so that the limit of attempts is not met; needs TRUST_PROXY. */
export function fromOwnAddress(init: RequestInit): RequestInit {
  addresses += 1;
  const headers = new Headers(init.headers);
  headers.set('x-forwarded-for', `10.2.${addresses >> 8}.${addresses & 255}`);
  return { ...init, headers };
}

/** Accounts that own something private in the simulated world, and the tokens that prove it. */
export const keeper = { name: 'secret-keeper', token: 'private_owner' } as const;
export const engines = { name: 'analytical-engines', token: 'organization_admin' } as const;
export const ada = { name: 'ada-lovelace', token: 'user' } as const;
