import { Type } from 'typebox';
import type { RouteServices } from '../../../accounts/resolve.ts';
import { AccountPath } from '../../../http/pipeline/endpoint.ts';
import { type Envelope, envelope } from '../../../http/pipeline/envelope.ts';
import { toPathPart } from '../../../model/account.ts';
import type { Board } from '../board.ts';
import { listMissing, withoutPrivate } from '../ranking/coverage.ts';
import { BoardItem, toBoardItem } from './board-json.ts';
import type { Ranking } from './view-store.ts';

/** The path parameters of endpoints about a board. */
export const BoardPath = Type.Object({
  ...AccountPath.properties,
  slug: Type.String({ maxLength: 64, description: 'Slug of the board, in any letter case.', examples: ['release-4'] }),
});

/** The parameter of lists that are also tables. */
export const TableFormat = Type.Object({
  format: Type.Optional(Type.Enum(['json', 'csv'], { description: '`csv` is the list as a table.', default: 'json' })),
});

/** The board in the metadata of its views. */
export const boardDetails = { title: 'BoardMetadata', properties: { board: BoardItem } };

/** Returns the address of a board. */
/** Returns the address of the page of a board. */
export function boardPageUrl(
  { publicUrl }: Pick<RouteServices, 'publicUrl'>,
  account: { provider: string; name: string },
  slug: string,
): string {
  return `${publicUrl()}/${account.provider}/${toPathPart(account.name)}/boards/${slug}`;
}

export function boardUrl(
  { publicUrl }: Pick<RouteServices, 'publicUrl'>,
  account: { provider: string; name: string },
  slug: string,
): string {
  return `${publicUrl()}/v1/${account.provider}/entities/${toPathPart(account.name)}/boards/${slug}`;
}

/**
 * Returns the envelope of items of a board; `missing` names the repositories and teams that are not completely known.
 */
export function withBoard(
  board: Board,
  ranking: Ranking,
  isOwner: boolean,
  content: { data: readonly unknown[]; previousCursor?: string | undefined; nextCursor?: string | undefined },
): Envelope {
  const item = toBoardItem(board, ranking, { isOwner });
  const missing = listMissing(ranking.coverage);
  return envelope({
    dataType: 'unknown',
    ...content,
    provenance: {
      asOf: ranking.asOf,
      missing: isOwner ? missing : withoutPrivate(missing, ranking.coverage),
      includesPrivate: board.isPrivate,
    },
    board: item,
  });
}
