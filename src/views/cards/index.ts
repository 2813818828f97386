import type { Card } from './card.ts';
import { achievementsCard } from './cards/achievements.card.ts';
import { boardCard } from './cards/board.card.ts';
import { calendarCard } from './cards/calendar.card.ts';
import { communityCard } from './cards/community.card.ts';
import { contributionsCard } from './cards/contributions.card.ts';
import { contributorsCard } from './cards/contributors.card.ts';
import { languagesCard } from './cards/languages.card.ts';
import { streakCard } from './cards/streak.card.ts';

/** All cards, by the names that routes use. */
const cards = new Map<string, Card>([
  ['contributions', contributionsCard],
  ['calendar', calendarCard],
  ['streak', streakCard],
  ['languages', languagesCard],
  ['contributors', contributorsCard],
  ['achievements', achievementsCard],
  ['community', communityCard],
  ['board', boardCard],
]);

/** The names of all cards. */
export const cardNames: readonly string[] = [...cards.keys()];

export function findCard(name: string): Card {
  const card = cards.get(name);
  if (card === undefined) throw new Error(`there is no card ${name}`);
  return card;
}
