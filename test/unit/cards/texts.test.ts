import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadTexts, translateTexts } from '../../../src/views/languages/texts.ts';

describe('texts of a translation', () => {
  it('are English where the translation is absent or empty', () => {
    const { cards, pages } = translateTexts({ cards: { commits: 'Versionen', level: '' }, pages: { steps: ['Erst'] } });
    const english = loadTexts('en');
    assert.deepEqual(cards, { ...english.cards, commits: 'Versionen' });
    assert.deepEqual(pages, { ...english.pages, steps: ['Erst', ...english.pages.steps.slice(1)] });
    assert.notEqual(english.cards.commits, 'Versionen');
  });

  it('have plural forms that English lacks', () => {
    const { cards } = translateTexts({ cards: { points_few: '{n} балла' } });
    assert.equal(Object.entries(cards).find(([name]) => name === 'points_few')?.[1], '{n} балла');
  });

  it('are English in a language that readers cannot choose', () => {
    assert.equal(loadTexts('eo'), loadTexts('en'));
  });
});
