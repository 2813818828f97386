import { formatTimestamp } from '../../../http/pipeline/envelope.ts';
import { meaningOf } from '../../../model/windows/window.ts';
import { toRepositories, toRules } from '../views/board-json.ts';
import { warningsOf } from './fairness.ts';
import type { BoardPreview } from './preview-store.ts';

/** Returns a preview as responses and the command show it. */
export function toItem(preview: BoardPreview) {
  const { board, window, members, people, count, pointsByRule } = preview;
  return {
    repositories: toRepositories(members.coverage, { isOwner: true }),
    as_of: members.asOf && formatTimestamp(members.asOf),
    slug: board.slug,
    name: board.name,
    window: meaningOf(window),
    rules: toRules(board),
    warnings: warningsOf(preview),
    points_by_rule: Object.entries(pointsByRule).map(([rule, points]) => ({ rule: Number(rule), points })),
    people: count,
    ranking: people.map(({ rank, provider, name, points, isNewcomer, isReturning }) => ({
      rank,
      provider,
      login: name,
      points,
      newcomer: isNewcomer,
      returning: isReturning,
      eligible: board.threshold === null ? null : points >= board.threshold,
    })),
  };
}
