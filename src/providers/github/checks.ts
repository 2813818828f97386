import { checksOf } from '../http/checks.ts';

export const { checkPayload, parseJson, invalid, unavailable } = checksOf('GitHub');
