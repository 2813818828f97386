import type { Static, TSchema } from 'typebox';
import { AppError } from '../../../model/errors.ts';
import { isDenied } from '../../interface/denied.ts';
import type { Call } from '../../interface/provider.ts';
import type { Secret } from '../../transport/secret.ts';
import { checkPayload } from '../checks.ts';
import type { Query } from '../client.ts';
import { classifyGraphqlErrors, GraphqlResponse } from '../graphql-errors.ts';
import type { AppClient, AppRequest, AppResponse } from './client.ts';

/** Sends requests as one installation. It never repeats a request, because a repeated write could take effect twice. */
export class Writer {
  readonly #client: AppClient;
  readonly #secret: Secret;
  readonly #call: Call;

  constructor(client: AppClient, secret: Secret, call: Call) {
    this.#client = client;
    this.#secret = secret;
    this.#call = call;
  }

  async rest<Schema extends TSchema>(request: AppRequest, schema: Schema): Promise<AppResponse<Static<Schema>>> {
    const token = await this.#secret.get(this.#call.signal);
    this.#call.cost.requests += 1;
    try {
      return await this.#client.send({ ...request, token }, schema, this.#call.signal);
    } catch (error) {
      // The next attempt fetches another token.
      if (isDenied(error)) this.#secret.reject(token);
      throw error;
    }
  }

  /**
   * Sends a query or a mutation. Objects that GitHub does not find are null in the response.
   * @throws AppError `provider_denied`, `provider_rate_limited` or `provider_unavailable`
   */
  async graphql<Schema extends TSchema>(
    { name, text, schema }: Query<Schema>,
    variables: Record<string, unknown>,
  ): Promise<Static<Schema>> {
    const body = { query: text, variables, operationName: name };
    const response = await this.rest({ method: 'POST', path: '/graphql', body }, GraphqlResponse);
    if ('refusal' in response) throw mayNotWrite();
    const { data = null, errors = [] } = response.data;
    const trouble = classifyGraphqlErrors(errors);
    if (trouble === 'denied') throw mayNotWrite();
    if (trouble === 'limited') {
      throw new AppError('provider_rate_limited', "GitHub's request budget of the App is used up for now.");
    }
    if (trouble !== 'none') throw new AppError('provider_unavailable', 'GitHub does not do it just now.');
    return checkPayload(schema, data, name);
  }
}

export function mayNotWrite(): AppError {
  return new AppError('provider_denied', 'the GitHub App is not allowed to write there');
}
