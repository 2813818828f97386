import { GraphQLError } from 'graphql';
import type { Account } from '../world/model.ts';
import type { World } from '../world/world.ts';
import type { Reply } from './refusals.ts';

/** The reasons for which an organization refuses a credential that GitHub accepts elsewhere. */
export const organizationRefusals = ['saml', 'ip_allow_list'] as const;
export type OrganizationRefusal = (typeof organizationRefusals)[number];

/**
 * Organizations that refuse credentials.
 *
 * Both kinds refuse public repositories too, but only for callers with a credential: GitHub documents "Public
 * resources, when a user is signed into GitHub" as protected by IP allow lists and "Public resources, when accessed
 * anonymously" as not protected (docs.github.com, "Managing allowed IP addresses for your organization";
 * cli/cli#12150). GitHub executes the rest of the query: the refused object is null, and `errors` names its path
 * (jasperapp/jasper#187, fwouts/prmonitor#1042).
 */
export class RefusingOrganizations {
  readonly #world: World;
  readonly #refusals = new Map<number, { refusal: OrganizationRefusal; tokens: readonly string[] | undefined }>();

  constructor(world: World) {
    this.#world = world;
  }

  /** @param tokens the names of the refused tokens; absent: all. */
  refuse(login: string, refusal: OrganizationRefusal, tokens?: readonly string[]): void {
    this.#refusals.set(this.#find(login).id, { refusal, tokens });
  }

  allow(login: string): void {
    this.#refusals.delete(this.#find(login).id);
  }

  /** Returns the reason for which an account's organization refuses a caller, undefined if it does not. */
  refusalFor(accountId: number, token: string): OrganizationRefusal | undefined {
    const found = this.#refusals.get(accountId);
    if (found === undefined || token === 'anonymous' || token === 'app') return undefined;
    // SAML single sign-on applies to people's tokens; GitHub does not require it of installations.
    if (found.refusal === 'saml' && token.startsWith('installation')) return undefined;
    return found.tokens === undefined || found.tokens.includes(token) ? found.refusal : undefined;
  }

  /** Returns the error in place of an object that belongs to an account, undefined if the object is shown. */
  errorFor(accountId: number, token: string): GraphQLError | undefined {
    const refusal = this.refusalFor(accountId, token);
    if (refusal === undefined) return undefined;
    const extensions = { type: 'FORBIDDEN', ...(refusal === 'saml' && { saml_failure: true }) };
    return new GraphQLError(this.#message(accountId, refusal), { extensions });
  }

  /** Returns the REST response in place of everything below a path, undefined if the path's owner does not refuse. */
  replyFor(path: string, token: string): Reply | undefined {
    const [, login] = /^\/(?:repos|orgs)\/([^/]+)/.exec(path) ?? [];
    const owner = login === undefined ? undefined : this.#world.accountByLogin(decodeURIComponent(login));
    const refusal = owner && this.refusalFor(owner.id, token);
    if (owner === undefined || refusal === undefined) return undefined;
    const sso = `required; url=https://github.com/orgs/${owner.login}/sso?authorization_request=SIMULATED`;
    return {
      status: 403,
      body: { message: this.#message(owner.id, refusal), documentation_url: 'https://docs.github.com', status: '403' },
      ...(refusal === 'saml' && { headers: { 'x-github-sso': sso } }),
    };
  }

  #message(accountId: number, refusal: OrganizationRefusal): string {
    if (refusal === 'saml') {
      return 'Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.';
    }
    const { login } = this.#world.accountById(accountId) ?? { login: 'ghost' };
    return `Although you appear to have the correct authorization credentials, the \`${login}\` organization has an IP allow list enabled, and your IP address is not permitted to access this resource.`;
  }

  #find(login: string): Account {
    const found = this.#world.accountByLogin(login);
    if (found === undefined) throw new Error(`there is no account ${login}`);
    return found;
  }
}
