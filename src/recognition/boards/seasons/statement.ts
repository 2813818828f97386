import { formatTimestamp } from '../../../http/pipeline/envelope.ts';
import { type Signer, signClaims } from '../../signing/sign.ts';
import { readDefinition } from '../definition.ts';
import { toRepositories, toRules } from '../views/board-json.ts';
import type { Season, SeasonRank } from './season-store.ts';

/** The account of a board, in the addresses of its statements. */
export interface BoardOwner {
  provider: string;
  name: string;
}

/**
 * Signs the statement of a frozen season: its table, the rule, and the completeness of each repository, as a JWS by the
 * key that signs credentials. People are named by the immutable ids of their hosts; anonymous ones are null.
 */
export async function signStatement(
  signer: Signer,
  season: Omit<Season, 'statement'>,
  { owner, slug, ranks }: { owner: BoardOwner; slug: string; ranks: readonly SeasonRank[] },
): Promise<string> {
  const { boardId, number, version, frozenAt } = season;
  const board = readDefinition(season.definition);
  const subject = seasonUrl(signer.publicUrl, owner, slug, number);
  const claims = {
    type: 'BoardSeason',
    board: { id: `urn:uuid:${boardId}`, rule: season.definition, rules: toRules(board) },
    season: {
      number,
      version,
      since: season.since && formatTimestamp(season.since),
      until: formatTimestamp(season.until),
      time_zone: board.window.timeZone,
    },
    frozen_dttm: formatTimestamp(frozenAt),
    reason: season.reason,
    repositories: toRepositories(season.coverage, { isOwner: false }),
    ...(season.counted !== null && {
      counted_repositories: season.counted.map(({ repository, knownUntil }) => ({
        repository,
        known_until: knownUntil,
      })),
    }),
    as_of: season.asOf && formatTimestamp(season.asOf),
    missing: season.missing,
    people: ranks.map(toClaim),
  };
  return signClaims(signer, claims, { id: `urn:uuid:${boardId}:${number}:${version}`, subject, notBefore: frozenAt });
}

function toClaim({ rank, person, points, granted, byRule }: SeasonRank): object {
  return {
    rank,
    person: person && { provider: person.provider, id: person.externalId, login: person.name },
    points,
    granted,
    points_by_rule: byRule,
  };
}

/** Returns the address of a frozen season. */
export function seasonUrl(publicUrl: string, { provider, name }: BoardOwner, slug: string, number: number): string {
  return `${publicUrl}/v1/${provider}/entities/${encodeURIComponent(name)}/boards/${slug}/seasons/${number}`;
}
