import { AppError } from '../../../errors.ts';

/** @throws AppError `not_found` for what GitHub does not show. */
export function existing<Node>(node: Node | null): Node {
  if (node === null) throw new AppError('not_found', 'GitHub does not show this repository any more.');
  return node;
}
