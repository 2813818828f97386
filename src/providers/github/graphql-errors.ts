import { type Static, Type } from 'typebox';

const GraphqlError = Type.Object({
  type: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
});
type GraphqlError = Static<typeof GraphqlError>;

/** The frame of every GraphQL answer. */
export const GraphqlAnswer = Type.Object({
  data: Type.Optional(Type.Unknown()),
  errors: Type.Optional(Type.Array(GraphqlError)),
});

/** What the errors in an answer mean for the question; `none` also when something was only not found. */
export type Trouble = 'none' | 'limited' | 'too_heavy' | 'denied' | 'unknown';

/**
 * Sorts the errors that GitHub puts into answers with status 200. The worst decides.
 * Kinds as seen in GitHub's answers; the wording is used only where there is no kind.
 */
export function classifyGraphqlErrors(errors: readonly GraphqlError[]): Trouble {
  const troubles = new Set(errors.map(classify));
  const order: Trouble[] = ['limited', 'too_heavy', 'denied', 'unknown'];
  return order.find((trouble) => troubles.has(trouble)) ?? 'none';
}

function classify({ type = '', message = '' }: GraphqlError): Trouble {
  if (type === 'NOT_FOUND') return 'none';
  if (type === 'RATE_LIMITED' || type === 'RATE_LIMIT' || /rate limit/i.test(message)) return 'limited';
  if (/RESOURCE_LIMITS|NODE_LIMIT|TIMEOUT/.test(type)) return 'too_heavy';
  if (/something went wrong while executing|timeout|resource limits/i.test(message)) return 'too_heavy';
  if (type === 'FORBIDDEN' || type === 'INSUFFICIENT_SCOPES') return 'denied';
  return 'unknown';
}
