import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  expectationFailed,
  methodNotAllowed,
  type Problem,
  toProblem,
  unavailable,
} from '../../../src/http/pipeline/problem.ts';
import { AppError, type ErrorCode } from '../../../src/model/errors.ts';

/** The compiler demands every code here. */
const codes: Record<ErrorCode, true> = {
  invalid_input: true,
  missing_field: true,
  unauthenticated: true,
  forbidden: true,
  not_found: true,
  conflict: true,
  payload_too_large: true,
  too_slow: true,
  rate_limited: true,
  overloaded: true,
  provider_rate_limited: true,
  provider_unavailable: true,
  provider_denied: true,
  provider_invalid_response: true,
  misconfigured: true,
};

const describeProblem = ({ status, body: { error } }: Problem): string => `${status} ${error.code} ${error.type}`;

describe('the table of errors in docs/using-the-api.md', () => {
  it('has every error with its status and number, and no other', () => {
    const now = new Date(0);
    const problems = [
      ...Object.keys(codes).map((code) => toProblem(new AppError(code as ErrorCode, 'An error.'), now)),
      toProblem(new Error('a fault'), now),
      methodNotAllowed(['GET']),
      expectationFailed(),
      unavailable(),
    ];
    const rows = readFileSync('docs/using-the-api.md', 'utf8').matchAll(/^\| (\d{3}) \| (\d+) \| (`.*`) \| .* \|$/gm);
    const documented = [...rows].flatMap(([, status, number, types = '']) =>
      [...types.matchAll(/`(\w+)`/g)].map(([, type]) => `${status} ${number} ${type}`),
    );
    assert.deepEqual(documented.toSorted(), problems.map(describeProblem).toSorted());
  });
});
