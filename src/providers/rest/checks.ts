import { AppError } from '../../errors.ts';
import { checksOf } from '../http/checks.ts';

export const { checkPayload, parseJson, invalid, unavailable } = checksOf('The code host');

/** @throws AppError `not_found` for what is not shown. */
export function existing<Node>(node: Node | null): Node {
  if (node === null) throw new AppError('not_found', 'The code host does not show this repository any more.');
  return node;
}
