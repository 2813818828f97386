import type { Envelope } from '../http/envelope.ts';
import { contributionsCard } from './contributions.card.ts';
import { contributorsCard } from './contributors.card.ts';

/** A picture of an answer: the same data, drawn. Pure: the same answer gives the same bytes. */
export interface Card {
  /** @param answer as the interface tells it in JSON. */
  draw(answer: Envelope): string;
}

/** All cards, by the name that routes know them by. */
const cards = new Map<string, Card>([
  ['contributions', contributionsCard],
  ['contributors', contributorsCard],
]);

export function drawCard(name: string, answer: Envelope): string {
  const card = cards.get(name);
  if (card === undefined) throw new Error(`there is no card ${name}`);
  return card.draw(answer);
}
