import { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
import type { TokenName } from './tokens.ts';

/** Starts simulators at a fixed time, and sends requests to them, in the simulator's own tests. */

export const now = (): Date => new Date('2026-11-21T12:00:00Z');
export const start = (options: SimulatorOptions = {}): Promise<Simulator> => startSimulator({ now, ...options });

export interface GraphqlResponseBody {
  data?: object | null;
  errors?: { type?: string; path?: (string | number)[]; message: string }[];
}

export async function queryGraphql(
  simulator: Simulator,
  query: string,
  options: { token?: TokenName; variables?: object } = {},
): Promise<{ status: number; headers: Headers; body: GraphqlResponseBody }> {
  const { token = 'outsider', variables } = options;
  const response = await fetch(`${simulator.apiUrl}/graphql`, {
    method: 'POST',
    headers: { authorization: `bearer ${simulator.tokens[token]}` },
    body: JSON.stringify({ query, variables }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as GraphqlResponseBody };
}

export const requestRest = (
  simulator: Simulator,
  path: string,
  token?: TokenName,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${simulator.apiUrl}${path}`, {
    headers: token === undefined ? headers : { ...headers, authorization: `token ${simulator.tokens[token]}` },
  });
