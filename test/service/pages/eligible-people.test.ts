import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rankBoard } from '../../../src/recognition/boards/ranking/rank-board.ts';
import { locales } from '../../../src/views/languages/texts.ts';
import { toReader } from '../../../src/views/pages/layout/reader.ts';
import { sampled } from '../../depth.ts';
import { ada, engines } from '../../integration/access/owner.ts';
import { freezeBoards } from '../boards/ended-boards.ts';
import { sharedBrowser } from '../cards/browser.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { examinePages } from './examine.ts';
import { boardOfCommits, putBoards } from './stored-board.ts';

interface Row {
  eligible: boolean | null;
  granted: number;
}

describe('eligible people and granted points on the page of a board', () => {
  const shared = shareStoredService();
  const grants = [{ person: ada.name, points: 1234, reason: 'Talk', granted_by: 'grace', until: '9999-12-31' }];

  /** Stores a board with a threshold and a grant, and one without; ranks both, and freezes those that have ended. */
  async function prepare(until: string): Promise<void> {
    const { service, simulator } = shared;
    const election = boardOfCommits('election', until, { threshold: 3, grants });
    await putBoards(service, simulator, [election, boardOfCommits('plain', until)]);
    const { connection } = service.database;
    const boards = await connection.selectFrom('boards').select('id').where('is_current', '=', true).execute();
    for (const { id } of boards) await rankBoard({ connection, now: () => new Date() }, id);
    await freezeBoards(service, new Date());
  }

  async function read(
    slug: string,
    season?: number,
  ): Promise<{ rows: Row[]; page: (lang: string) => Promise<string> }> {
    const { service } = shared;
    const path = `${engines.name}/boards/${slug}${season === undefined ? '' : `/seasons/${season}`}?limit=100`;
    const { body } = await service.get(path);
    const query = season === undefined ? '' : `&season=${season}`;
    return {
      rows: body.data as unknown as Row[],
      page: async (lang) => {
        const address = `/github/${engines.name}/boards/${slug}?lang=${lang}${query}`;
        return (await service.get(address, { headers: { accept: 'text/html' } })).text;
      },
    };
  }

  function toCount(text: string, word: string): number {
    return text.split(word).length - 1;
  }

  for (const [title, until, season] of [
    ['are marked with words where the API has them', '2041-12-31', undefined],
    ['are marked on a frozen season as well', '2020-12-31', 1],
  ] as const) {
    it(title, async () => {
      await prepare(until);
      const { rows, page } = await read('election', season);
      const eligible = rows.filter((row) => row.eligible === true).length;
      assert.ok(eligible > 0 && eligible < rows.length, `${eligible} of ${rows.length}`);
      assert.equal(rows.filter(({ granted }) => granted !== 0).length, 1);
      for (const locale of sampled(locales, 3)) {
        const { words, language } = toReader({ locale, isChosen: true });
        const text = await page(locale);
        assert.equal(toCount(text, `<span class="chip">${words.detail.eligible}</span>`), eligible, locale);
        const granted = words.detail.granted.replace('{n}', language.number(1234));
        assert.equal(toCount(text, `<small dir="auto">${granted}</small>`), 1, locale);
        assert.ok(text.includes(`${words.detail.eligible}: <bdi dir="ltr">≥ ${language.number(3)}</bdi>`), locale);
      }
      const plain = await (await read('plain', season)).page('en');
      assert.doesNotMatch(plain, /eligible|granted/);
      const path = `/github/${engines.name}/boards/election${season === undefined ? '' : `?season=${season}`}`;
      await examinePages(
        await sharedBrowser(),
        shared.service.url,
        sampled(
          [
            { scheme: 'light', width: 320, lang: 'pl' },
            { scheme: 'dark', width: 320, lang: 'ar' },
            { scheme: 'light', width: 1280, lang: 'he' },
            { scheme: 'dark', width: 1280, lang: 'en' },
          ] as const,
          3,
        ).map((circumstances) => ({ type: { name: `eligible-${season ?? 'present'}`, path }, circumstances })),
      );
    });
  }
});
