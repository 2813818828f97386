import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CardInput } from '../../../src/http/pipeline/images.ts';
import { findCard } from '../../../src/views/cards/index.ts';
import { readCardOptions } from '../../../src/views/cards/options.ts';
import { drawState } from '../../../src/views/cards/states/state.ts';
import { loadLanguage } from '../../../src/views/languages/language.ts';
import { locales } from '../../../src/views/languages/texts.ts';
import { makeContributors } from './inputs.ts';
import { readSvg } from './read-svg.ts';
import { draw } from './samples.ts';

const window = { since: '2026-10-01T00:00:00+02:00', until: '2026-11-01T00:00:00+01:00', time_zone: 'Europe/Berlin' };

/** Returns a board without people. */
function toBoard(facts: object = {}, states: readonly string[] = []): CardInput {
  const board = {
    name: 'Release 4 sprint',
    as_of: '2026-10-15T12:00:00Z',
    ranked_dttm: '2026-10-15T12:00:00Z',
    window,
    repositories: { total: 12, complete: 12 - states.length, incomplete: states.map((state) => ({ state })) },
    ...facts,
  };
  return { envelope: { meta_data: { count: 0, data_type: 0, board }, data: [] } };
}

function contributorsWithout(meta: object): CardInput {
  return { envelope: { meta_data: { count: 0, data_type: 3, as_of: '2026-11-02T12:00:00Z', ...meta }, data: [] } };
}

const boards = {
  'nothing counted': toBoard(),
  collecting: toBoard({}, ['not_installed', 'collecting']),
  'not installed': toBoard({ as_of: null }, ['not_installed']),
  'not begun': toBoard({ ranked_dttm: '2026-09-29T12:00:00Z' }),
  ended: toBoard({ ranked_dttm: '2026-11-02T12:00:00Z' }),
};

describe('empty cards', () => {
  const toText = (card: string, input: CardInput): string => findCard(card).nothing(input, loadLanguage('en')).detail;

  it('name the missing thing, and the reason or the next step, uncut in every language', () => {
    const emptyInput: CardInput = { envelope: { meta_data: { count: 0, data_type: 0 }, data: [] } };
    const empty = ['contributions', 'calendar', 'contributors', 'achievements', 'languages'].map(
      (card) => [card, emptyInput] as const,
    );
    for (const locale of locales) {
      for (const [card, input] of [...empty, ...Object.values(boards).map((board) => ['board', board] as const)]) {
        const { parts, ...found } = findCard(card);
        for (const width of [undefined, 240]) {
          const options = readCardOptions({ locale, width }, parts);
          assert.equal(found.read(input, options), undefined);
          const { svg } = drawState(found, { kind: 'nothing', ...found.nothing(input, options.language) }, options);
          assert.ok(!readSvg(svg).texts.some((text) => text.includes('…')), `${locale} ${card} ${width}: ${svg}`);
        }
      }
    }
    assert.equal(findCard('achievements').nothing(emptyInput, loadLanguage('en')).title, 'No achievements yet');
  });

  it('begin with the completeness of the repositories on boards, and say why there are no people', () => {
    const complete = 'Complete: 12 of 12 repositories, as of Oct 15, 2026';
    assert.deepEqual(
      Object.fromEntries(Object.entries(boards).map(([name, board]) => [name, toText('board', board)])),
      {
        'nothing counted': `${complete} · Contribute to a repository of the board to lead it.`,
        collecting: 'Complete: 10 of 12 repositories, as of Oct 15, 2026 · still counting',
        'not installed': 'Complete: 11 of 12 repositories · Contribute to a repository of the board to lead it.',
        'not begun': `${complete} · begins on Oct 1, 2026`,
        ended: `${complete} · Oct 1, 2026 – Oct 31, 2026`,
      },
    );
  });

  it('say on contributors that they are still counting, or which window has ended', () => {
    assert.equal(toText('contributors', contributorsWithout({ complete: false })), 'still counting');
    const ended = contributorsWithout({ complete: true, window });
    assert.equal(toText('contributors', ended), 'Oct 1, 2026 – Oct 31, 2026');
    assert.match(toText('contributors', contributorsWithout({ complete: true })), /^Contribute to a public repository/);
  });

  it('say on badges that they are still counting', () => {
    const { title } = readSvg(draw('community', contributorsWithout({ complete: false })).svg);
    assert.equal(title, 'community: still counting');
    const { envelope, further } = makeContributors(3, 2);
    const some = {
      envelope: { ...envelope, meta_data: { ...envelope.meta_data, complete: false } },
      further: further ?? 0,
    };
    assert.equal(readSvg(draw('community', some).svg).title, 'community: 5 contributors');
  });
});
