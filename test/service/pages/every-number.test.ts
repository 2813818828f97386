import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sampled } from '../../depth.ts';
import { ada, engines } from '../../integration/access/owner.ts';
import { storeLanguages } from '../../integration/contributions/store-languages.ts';
import { award } from '../achievements/award.ts';
import { freezeBoards } from '../boards/ended-boards.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { storeBoard } from './stored-board.ts';
import { storeProgress } from './stored-progress.ts';

const person = `/github/${ada.name}`;
const community = `/github/${engines.name}`;
const repository = `${community}/engine-1`;
/** The pages whose numbers lead to other pages, with the least number of them. */
const pages: readonly (readonly [path: string, least: number])[] = [
  [person, 12],
  [`${community}?lang=de`, 13],
  [`${community}?period=2025`, 10],
  [`${community}?since=2014-01-01&until=2030-12-31&time_zone=Asia/Tokyo`, 10],
  [repository, 8],
  [`${repository}?period=2025`, 8],
  [`${community}/boards/all`, 5],
  [`${community}/boards/all?team=red`, 1],
  [`${community}/boards/all?season=1`, 5],
];

describe('every number on a page', () => {
  const shared = shareStoredService();
  const page = async (path: string): Promise<string> => {
    const { text, status } = await shared.service.get(path, { headers: { accept: 'text/html' } });
    assert.equal(status, 200, `${path}: ${text}`);
    return text;
  };
  const toDigits = (text: string): string => text.replaceAll(/[^\d]/g, '');

  before(async () => {
    const { service, simulator } = shared;
    await award(service, 'Counted');
    await storeBoard(service, simulator);
    await storeLanguages(service.database.connection);
    await storeProgress(service, new Date());
    await freezeBoards(service, new Date('2042-02-01'));
  });

  for (const [path, least] of sampled(pages, 2)) {
    it(`names its definition, and leads to a page with the same number: ${path}`, async () => {
      const text = await page(path);
      const links = [
        ...text.matchAll(/<a href="([^"#][^"]*)" class="number"( aria-describedby="([^"]*)")?>([^<]*)<\/a>/g),
      ];
      assert.ok(links.length >= least, `${links.length}`);
      for (const [, address = '', , definition, number = ''] of links) {
        const target = address.replaceAll('&amp;', '&');
        assert.ok(text.includes(`id="${definition}" popover>`), target);
        const behind = await page(target);
        const total = /\/achievements\/[^/]{36}/.test(target)
          ? /<h2>([^<]*)<\/h2>/.exec(behind)?.[1]
          : /<span class="total">([^<]*)<\/span>/.exec(behind)?.[1];
        assert.equal(toDigits(total ?? ''), toDigits(number), `${path}: ${target}`);
      }
    });
  }
});
