import { createChecks } from '../http/checks.ts';

export const { checkPayload, parseJson, existing, invalid, unavailable } = createChecks('GitHub');
