import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import type { TokenName } from '../../../simulators/github/tokens.ts';
import { addMember } from '../../../simulators/world/repository-changes.ts';
import { checkDueAdministrators } from '../../../src/accounts/access/administrators/check.ts';
import { organization } from '../../e2e/installations/installed.ts';
import type { ServiceResponse, TestService } from '../../e2e/service.ts';
import { ed25519, eddsa, forge, pem } from '../../integration/access/forge-token.ts';
import { bearer, engines, fromOwnAddress, jsonRequest } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { type StoredServiceOptions, startStoredService } from '../http/stored-service.ts';

export const daysS = 86_400;
export const settings = { TRUST_PROXY: 'loopback' };
const holders = { olive: 'organization_admin', max: 'organization_member' } as const satisfies Record<
  string,
  TokenName
>;

/** A service and a simulated GitHub with an organization of which Olive and Max are administrators. */
export interface Fixture {
  simulator: Simulator;
  service: TestService;
  time: ReturnType<typeof clock>;
}

export async function openFixture(options: StoredServiceOptions = {}): Promise<Fixture & AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  const time = clock();
  const simulator = stack.use(await startSimulator({ now: time.now, repositories: 1 }));
  addMember(simulator.world, organization(simulator), person(simulator, 'olive'), 'admin');
  addMember(simulator.world, organization(simulator), person(simulator, 'max'), 'admin');
  const stored = { simulator, tokens: [holders.max], settings, now: time.now };
  const service = stack.use(await startStoredService({ ...stored, ...options }));
  return { simulator, service, time, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

export function person({ world }: Simulator, name: keyof typeof holders) {
  const login = name === 'olive' ? 'olive-admin' : 'max-member';
  return world.accountByLogin(login) ?? assert.fail(login);
}

/** A registered key, and the tokens that it signs. */
export interface TestKey {
  id: string;
  /** Registers it with the token of an administrator at GitHub. */
  register: (by: keyof typeof holders) => Promise<ServiceResponse>;
  /** Signs a token that expires after a time. */
  sign: (lifeS: number) => string;
  /** Requests with a token that it has just signed. */
  request: (path: string, method?: string, body?: unknown, node?: TestService) => Promise<ServiceResponse>;
}

export function createKey({ simulator, service, time }: Fixture): TestKey {
  const { publicKey, privateKey } = ed25519();
  const id = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
  const sign = (lifeS: number): string => {
    const exp = Math.floor(time.now().getTime() / 1000) + lifeS;
    const payload = { aud: service.url, sub: `github/${engines.name}`, exp };
    return forge({ header: { alg: 'EdDSA', kid: id }, payload }, eddsa(privateKey));
  };
  return {
    id,
    sign,
    register: (by) => {
      const token = simulator.tokens[holders[by]];
      return service.get(
        `${engines.name}/keys`,
        fromOwnAddress(jsonRequest('PUT', token, { data: { key: pem(publicKey) } })),
      );
    },
    request: (path, method = 'GET', body?, node = service) =>
      node.get(`${engines.name}${path}`, fromOwnAddress(jsonRequest(method, sign(3600), body))),
  };
}

/** Creates an embed link. @returns its id and the path that opens it. */
export async function embed(create: (path: string, method: string, body: unknown) => Promise<ServiceResponse>) {
  const path = `/v1/github/entities/${engines.name}/contributions?private=true`;
  const { status, text } = await create('/embeds', 'POST', { path, format: 'svg' });
  assert.equal(status, 201, text);
  const { data } = JSON.parse(text) as { data: { id: string; url: string } };
  return { id: data.id, path: new URL(data.url).pathname };
}

/** Returns a function that requests with a service token of an administrator. */
export async function asAdministrator({ simulator, service }: Fixture, by: keyof typeof holders) {
  const response = await service.get(`${engines.name}/token`, fromOwnAddress(bearer(simulator.tokens[holders[by]])));
  assert.equal(response.status, 200, response.text);
  const { data } = JSON.parse(response.text) as { data: { token: string } };
  return (path: string, method = 'GET', body?: unknown): Promise<ServiceResponse> =>
    service.get(`${engines.name}${path}`, fromOwnAddress(jsonRequest(method, data.token, body)));
}

/** Checks the administrators, as a job does each hour. @returns the failures of the host. */
export async function checkNow({ service, time }: Fixture): Promise<string[]> {
  const failures: string[] = [];
  const context = {
    connection: service.database.connection,
    providers: service.service.providers,
    now: time.now,
    newId: uuidv7,
    onFailure: (_error: unknown, work: string) => void failures.push(work),
  };
  await checkDueAdministrators(context, new AbortController().signal);
  return failures;
}

/** Returns the audit entries of keys and links, oldest first, as `ACTION ACTOR`. */
export async function findAudit({ service }: Fixture): Promise<string[]> {
  const { rows } = await service.database.pool.query<{ entry: string }>(
    `select action || ' ' || regexp_replace(actor, '^key .*', 'key') as entry from audit_entries
     where action ~ '^(key|embed)_' order by at, id`,
  );
  return rows.map(({ entry }) => entry);
}
