import { counterNames } from '../../../src/model/kinds.ts';

const ofAccount = { experience: 'experience', level: 'level', followers: 'followers', following: 'following' };
const ofRank = {
  rank: 'rank',
  points: 'points',
  'points_by_rule[].points': 'points',
  granted: 'points',
  change: 'change',
};

/**
 * The counter in `/v1/definitions` that defines each number about contributions, by operation and member of an item. Numbers of
 * evidence itself, of settings and of the operation of a service are left out below.
 */
export const defined: Record<string, Record<string, string>> = {
  getAccount: ofAccount,
  listRepositories: { stars: 'stars', forks: 'forks', open_issues: 'open_issues', size: 'size' },
  listContributions: {
    ...ofAccount,
    ...Object.fromEntries(counterNames.map((name) => [`contributions.${name}`, name])),
    calendar_total: 'days',
  },
  listRepositoryContributions: Object.fromEntries(
    counterNames.filter((name) => name !== 'contributed_to').map((name) => [`contributions.${name}`, name]),
  ),
  listNextEvidence: { amount: 'progress' },
  listLanguages: { files: 'languages' },
  listLanguageEvidence: { files: 'languages' },
  listContributors: { contributions: 'contributions' },
  listRepositoryContributors: { contributions: 'contributions' },
  getBoard: ofRank,
  getBoardSeason: ofRank,
  listBoardEvidence: { points: 'points', points_before_cap: 'points' },
  listBoards: { people: 'contributors' },
};

/** The counters that define the numbers on each card. */
export const definedOnCards: Record<string, string[]> = {
  'listContributions contributions': ['experience', 'level', ...counterNames],
  'listContributions calendar': ['days'],
  'listContributions streak': ['days'],
  'listContributions languages': ['languages'],
  listContributors: ['contributions', 'contributors'],
  listRepositoryContributors: ['contributions', 'contributors'],
  drawCommunityBadge: ['contributors'],
  drawRepositoryCommunityBadge: ['contributors'],
  listAwards: ['achievements', 'holders', 'progress'],
  getAward: ['achievements', 'holders'],
  getCredential: ['achievements', 'holders'],
  getBoard: ['points', 'rank', 'change'],
  openEmbed: counterNames.slice(),
};

/** Members that count no contributions: parts of evidence, rules, places in files, and the operation of the service. */
export const others =
  /^(meta_data\.(count|data_type|total|itemised|remainder|comparison|sum|grants|versions|board|person|season|progress)\b|data\[\]\.(number|rule|version|attempts|threshold|rules|repositories)\b|data\[\]\.points_by_rule\[\]\.rule$|data\.|data\[\]\.points_by_rule\[\]\.rule)/;
