import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { prepareFonts, Rasterizer } from '../../../src/views/cards/drawing/rasterizer.ts';
import { themeNames } from '../../../src/views/cards/drawing/themes.ts';
import { cardNames, findCard } from '../../../src/views/cards/index.ts';
import { readCardOptions } from '../../../src/views/cards/options.ts';
import { drawState, type State } from '../../../src/views/cards/states/state.ts';
import { loadLanguage } from '../../../src/views/languages/language.ts';
import { assertGoldenImage, assertGoldenText } from './golden.ts';
import { drawSample, sampleNames } from './samples.ts';

describe('golden files of cards', () => {
  it('draws every card as in its golden file', async () => {
    for (const name of sampleNames) await assertGoldenText(`${name}.svg`, drawSample(name).svg);
  });

  it('draws every theme as in its golden file', async () => {
    for (const theme of themeNames) {
      await assertGoldenText(
        `theme-${theme}.svg`,
        drawSample('contributions', { theme, hide: 'coverage', width: 300 }).svg,
      );
      await assertGoldenText(`theme-${theme}-calendar.svg`, drawSample('calendar', { theme }).svg);
    }
  });

  it('draws every state as in its golden file', async () => {
    const states: Record<string, State> = {
      collecting: { title: 'Collecting', detail: 'The numbers will be here in a moment.', kind: 'collecting' },
      wrong: {
        title: 'Something in the address is wrong',
        detail: 'theme must be given once, and one of a, b, c.',
        kind: 'problem',
      },
    };
    for (const name of cardNames) {
      const card = findCard(name);
      const empty = { envelope: { meta_data: { count: 0, data_type: 0 }, data: [] } };
      const nothing: State = { kind: 'nothing', ...card.nothing(empty, loadLanguage('en')) };
      for (const [state, content] of Object.entries({ ...states, nothing })) {
        await assertGoldenText(`${name}-${state}.svg`, drawState(card, content, readCardOptions({}, card.parts)).svg);
      }
    }
  });

  it('renders PNG files as in their golden files, with letters of every bundled script', async () => {
    await using directory = await makeTemporaryDirectory();
    await prepareFonts(directory.path);
    const rasterizer = new Rasterizer(() => new Date());
    for (const [name, scale] of [
      ['contributions', 1],
      ['contributions-dark', 2],
      ['contributions-ar', 1],
      ['calendar', 1],
    ] as const) {
      await assertGoldenImage(`${name}@${scale}x.png`, await rasterizer.toPng(drawSample(name), scale));
    }
  });
});
