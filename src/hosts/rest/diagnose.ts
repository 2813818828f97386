import { AppError, type ErrorCode } from '../../model/errors.ts';
import type { Call } from '../interface/call.ts';
import { type CredentialReport, type Diagnosis, reportOn, tokenLabel } from '../interface/diagnosis.ts';
import { MissingScope, type RestClient } from './client.ts';

/** The parts of a report that differ from host to host, and the version of the host. */
export interface Examined extends Partial<CredentialReport> {
  version?: string | null;
}

const withoutToken = { value: undefined, name: '' };

/** Reports on each configured token, or on calls without one where none is configured. */
export async function diagnoseTokens(
  client: RestClient,
  signal: AbortSignal,
  examine: (call: Call, isAnonymous: boolean) => Promise<Examined>,
): Promise<Diagnosis> {
  const { tokens } = client.credentials;
  let version: string | null = null;
  const credentials = await Promise.all(
    (tokens.length === 0 ? [withoutToken] : tokens).map(({ value, name: credentialName }, index) => {
      const isAnonymous = value === undefined;
      const call: Call = { urgency: 'interactive', signal, cost: { requests: 0, points: 0 } };
      const label = isAnonymous ? 'no token' : tokenLabel(value, index, tokens.length);
      const credential = {
        kind: isAnonymous ? 'none' : 'token',
        label,
        credentialName: credentialName || null,
      } as const;
      return reportOn(credential, async () => {
        const { version: hostVersion, ...report } = await examine(
          isAnonymous ? call : { ...call, credentialName },
          isAnonymous,
        );
        version ??= hostVersion ?? null;
        return report;
      });
    }),
  );
  return { version, credentials };
}

type Tried<Response> = Response | 'lacks_scope' | 'unknown';

export function isResponse<Response>(tried: Tried<Response>): tried is Response {
  return tried !== 'lacks_scope' && tried !== 'unknown';
}

/** Returns the response, or `lacks_scope` where the token lacks a scope for the request. */
export async function ifScopeAllows<Response>(request: Promise<Response>): Promise<Response | 'lacks_scope'> {
  return request.catch((error: unknown) => {
    if (error instanceof MissingScope) return 'lacks_scope' as const;
    throw error;
  });
}

/** Returns the same, or `unknown` where the request fails: the rest of the report is useful without it. */
export async function tryWith<Response>(request: Promise<Response>): Promise<Tried<Response>> {
  return ifScopeAllows(request).catch((error: unknown) => {
    if (error instanceof AppError && passing.has(error.code)) return 'unknown' as const;
    throw error;
  });
}

const passing = new Set<ErrorCode>(['provider_invalid_response', 'provider_unavailable']);
