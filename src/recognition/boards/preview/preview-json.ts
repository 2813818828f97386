import { formatTimestamp } from '../../../http/pipeline/envelope.ts';
import { toWindowMeaning } from '../../../model/windows/window.ts';
import { concernsPerson } from '../../rules/conditions/terms.ts';
import { explainRule, nouns } from '../../rules/file/explain-file.ts';
import { toRepositories, toRules } from '../views/board-json.ts';
import type { BoardPreview } from './preview-store.ts';

/** The most names that one warning lists. */
const maxNamed = 10;

/** Kinds of contributions of which one piece of work can be made into many. */
const splittable = new Set(['commit', 'issue_comment', 'pull_request_comment', 'review', 'issue']);

/** Returns a preview as responses and the command show it. */
export function toItem(preview: BoardPreview) {
  const { board, window, members, people, count, pointsByRule } = preview;
  return {
    repositories: toRepositories(members.coverage, { isOwner: true }),
    as_of: members.asOf && formatTimestamp(members.asOf),
    slug: board.slug,
    name: board.name,
    window: toWindowMeaning(window),
    rules: toRules(board),
    warnings: listWarnings(preview),
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

/** Returns sentences about a board that its author should read before it is live. */
export function listWarnings(preview: BoardPreview): string[] {
  return [
    ...rewardsMost(preview),
    ...splitting(preview),
    ...withoutPoints(preview),
    ...windows(preview),
    ...repositories(preview),
    ...people(preview),
  ];
}

/** Names the rule that gives more than half of all points. */
function rewardsMost({ board, pointsByRule }: BoardPreview): string[] {
  const total = Object.values(pointsByRule).reduce((sum, points) => sum + points, 0);
  const [most] = Object.entries(pointsByRule).toSorted(([, one], [, other]) => other - one);
  if (most === undefined || total === 0) return [];
  const [number, points] = most;
  const rule = board.rules[Number(number) - 1];
  const share = Math.round((points / total) * 100);
  if (rule === undefined || board.rules.length === 1 || share <= 50) return [];
  return [`Rule ${number} gives ${share} % of all points: ${explainRule({ ...rule, value: rule.points })}.`];
}

function splitting({ board }: BoardPreview): string[] {
  return board.rules.flatMap((rule, index) => {
    const isCapped = rule.perDay !== null || rule.decay > 0 || concernsPerson(rule.condition);
    if (isCapped || !splittable.has(rule.action)) return [];
    const noun = nouns[rule.action].many;
    return [
      `Rule ${index + 1} rewards work that is split into many ${noun}: per_day limits the points of a day, decay lowers them.`,
    ];
  });
}

/** Names the rules that give no points, unless the window has not begun. */
function withoutPoints({ board, pointsByRule, hasBegun }: BoardPreview): string[] {
  if (!hasBegun) return ['The window has not begun.'];
  const rules = board.rules.flatMap((rule, index) => {
    if ((pointsByRule[index + 1] ?? 0) > 0) return [];
    const text = explainRule({ ...rule, value: rule.points });
    return [`Rule ${index + 1} gives nobody points by what is stored: ${text}.`];
  });
  if (rules.length === 0 || !board.people.newcomersAlone) return rules;
  return [...rules, 'Only people whose first contribution to these repositories is in the window are ranked.'];
}

function windows({ board, window }: BoardPreview): string[] {
  if (window.since === null && window.until === null) return ['The window is open: all contributions ever made count.'];
  if (window.until === null) return ['The window has no end: the board is never frozen.'];
  return window.since === null ? [`The window has no beginning: ${board.name} has no newcomers.`] : [];
}

function repositories({ members }: BoardPreview): string[] {
  const { coverage } = members;
  const warnings: string[] = [];
  const missing = coverage.incomplete.filter(({ state }) => state === 'not_installed');
  if (missing.length > 0)
    warnings.push(
      `Not installed, so that nothing is collected for this board: ${listed(missing.map(({ repository }) => repository))}.`,
    );
  if (coverage.unreadTeams !== undefined)
    warnings.push(`The members of these teams are not known, so that nobody is one: ${listed(coverage.unreadTeams)}.`);
  if (coverage.isCut) warnings.push('More than 500 repositories match; only the first 500 by name count.');
  return warnings;
}

function people({ unknownPeople, unknownMergers }: BoardPreview): string[] {
  const warnings: string[] = [];
  if (unknownPeople.length > 0)
    warnings.push(
      `These accounts are not known; the board looks them up, and a grant counts once its account is found: ${listed(unknownPeople)}.`,
    );
  if (unknownMergers > 0)
    warnings.push(
      `It is not known who merged ${unknownMergers} pull requests of owners to their own repositories; they count.`,
    );
  return warnings;
}

function listed(names: readonly string[]): string {
  const rest = names.length - maxNamed;
  return names.slice(0, maxNamed).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
