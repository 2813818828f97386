import { GraphQLError, type GraphQLResolveInfo, responsePathAsArray } from 'graphql';
import type { Fault, FieldErrorKind } from '../faults.ts';

/** The failure of a field. */
export interface FieldFailure {
  /** Absent: the error replaces the field. */
  value?: unknown;
  error: GraphQLError;
}

/** Returns the failure of a field, undefined if the fault is not for it. */
export function fieldFailure(
  fault: Fault | undefined,
  args: Record<string, unknown>,
  info: GraphQLResolveInfo,
): FieldFailure | undefined {
  if (fault?.kind !== 'field_error' || !isFor(fault, args, info)) return undefined;
  const { error: kind = 'resource_limits', value } = fault;
  const error = makeError(kind, info.fieldName, args);
  return value === undefined ? { error } : { value, error };
}

/** Returns whether a fault names a field, by its type or by its place in the response without the indexes of lists. */
function isFor({ fields = [], where = {} }: Fault, args: Record<string, unknown>, info: GraphQLResolveInfo): boolean {
  const pathInResponse = responsePathAsArray(info.path)
    .filter((key) => typeof key === 'string')
    .join('.');
  if (!fields.includes(`${info.parentType.name}.${info.fieldName}`) && !fields.includes(pathInResponse)) return false;
  return Object.entries(where).every(([name, value]) => args[name] === value);
}

/**
 * Makes the error as GitHub words it. `RESOURCE_LIMITS_EXCEEDED`: yoshi389111/github-profile-3d-contrib#163.
 * Timeouts: octokit/graphql.js#261, dtolnay/star-history#30. `EXCESSIVE_PAGINATION` as for 101 records.
 */
function makeError(kind: FieldErrorKind, name: string, args: Record<string, unknown>): GraphQLError {
  const size = typeof args['first'] === 'number' ? args['first'] : 100;
  const errors: Record<FieldErrorKind, { type?: string; message: string }> = {
    resource_limits: { type: 'RESOURCE_LIMITS_EXCEEDED', message: 'Resource limits for this query exceeded.' },
    timeout: { message: somethingWentWrong },
    internal: { type: 'INTERNAL', message: somethingWentWrong },
    forbidden: { type: 'FORBIDDEN', message: 'Resource not accessible by personal access token' },
    not_found: { type: 'NOT_FOUND', message: 'Could not resolve to a node.' },
    excessive_pagination: {
      type: 'EXCESSIVE_PAGINATION',
      message: `Requesting ${size} records on the \`${name}\` connection exceeds the \`first\` limit of ${size - 1} records.`,
    },
  };
  const { type, message } = errors[kind];
  return new GraphQLError(message, type === undefined ? {} : { extensions: { type } });
}

export const somethingWentWrong =
  'Something went wrong while executing your query on 2026-11-21T12:00:00Z. This may be the result of a timeout, or it could be a GitHub bug. Please include `51AE:1B2C:3D4E5F:6A7B8C:65A1B2C3` when reporting this issue.';
