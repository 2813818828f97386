import { checksOf } from '../http/checks.ts';

export const { checkPayload, parseJson, existing, invalid, unavailable } = checksOf('GitHub');
