import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { ada, engines } from '../../integration/access/owner.ts';
import { freezeBoards } from '../boards/ended-boards.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { boardOfCommits, putBoards, storeBoard } from './stored-board.ts';

describe('rules on the page of a frozen season', () => {
  const shared = shareStoredService();

  it('are those by which it was counted, also after the board has others', async () => {
    const { service, simulator } = shared;
    const path = `/github/${engines.name}/boards/all`;
    const findRules = async (address: string): Promise<string> => {
      const { text, status } = await service.get(address, { headers: { accept: 'text/html' } });
      assert.equal(status, 200, text);
      return /<ol class="rules"[^>]*>(.*?)<\/ol>/s.exec(text)?.[1] ?? '';
    };
    await storeBoard(service, simulator);
    await freezeBoards(service, new Date('2042-02-01'));
    const before = await findRules(path);
    assert.match(before, /3 points/);
    assert.equal(await findRules(`${path}?season=1`), before);
    const board = {
      name: 'All of it',
      slug: 'all',
      repositories: [`${engines.name}/engine-1`],
      points: [{ action: 'issue', points: 7 }],
    };
    await putBoards(service, simulator, [board]);
    assert.match(await findRules(`${path}?v=2`), /7 points/);
    assert.equal(await findRules(`${path}?season=1&v=2`), before);
  });

  it('stay readable with the season after the file defines the board no more', async () => {
    const { service, simulator } = shared;
    const path = `/github/${engines.name}/boards/all`;
    const toPage = (address: string) => service.get(address, { headers: { accept: 'text/html' } });
    const before = await toPage(`${path}?season=1&v=3`);
    const rows = /<table.*<\/table>/s;
    await putBoards(service, simulator, [boardOfCommits('other', '2041-12-31')]);
    assert.equal((await toPage(`${path}?v=4`)).status, 404);
    const { status, text } = await toPage(`${path}?season=1&v=4`);
    assert.equal(status, 200, text);
    assert.equal(rows.exec(text)?.[0], rows.exec(before.text)?.[0]);
    assert.match(text, /<ol class="rules".*3 points/s);
    for (const [, address = ''] of text.matchAll(/<a [^>]*href="(\/github\/[^"]*boards\/all[^"]*)"/g)) {
      assert.equal((await toPage(address.replaceAll('&amp;', '&'))).status, 200, address);
    }
    assert.doesNotMatch(text, /boards\/all\/feed/);
    const season = (await service.get(`${engines.name}/boards/all/seasons/1`)).body.meta_data as unknown as {
      season: { rules: { text: string }[]; time_zone: string };
    };
    assert.ok(season.season.rules.some(({ text: rule }) => rule.startsWith('3 points')));
    assert.equal(season.season.time_zone, 'Asia/Tokyo');
  });

  it('are not shown for a number that no season can have, which the page says in the language of the reader', async () => {
    const path = `/github/${engines.name}/boards/all`;
    for (const [address, message] of [
      [`${path}?season=abc`, 'season must be an integer from 1 to 99999.'],
      [`${path}/people/${ada.name}?season=0&lang=de`, 'season muss eine ganze Zahl von 1 bis 99999 sein.'],
    ] as const) {
      const { status, text } = await shared.service.get(address, { headers: { accept: 'text/html' } });
      assert.equal(status, 400);
      assert.ok(text.includes(message), text);
    }
  });

  it('stand beside the list of voters where the board has a threshold', async () => {
    const { service, simulator } = shared;
    const until = '2020-12-31';
    const election = boardOfCommits('election', until, { threshold: 1 });
    await putBoards(service, simulator, [election, boardOfCommits('plain', until, { ties: 'earliest' })]);
    await freezeBoards(service, new Date());
    for (const [slug, ties] of [
      ['election', 'People with equal points share a rank.'],
      ['plain', 'the person who reached them first is ahead.'],
    ] as const) {
      const { text } = await service.get(`/github/${engines.name}/boards/${slug}?season=1`, {
        headers: { accept: 'text/html' },
      });
      assert.ok(text.includes(ties), slug);
    }
    const findVoters = async (slug: string): Promise<string | undefined> => {
      const page = `/github/${engines.name}/boards/${slug}?season=1`;
      const { text } = await service.get(page, { headers: { accept: 'text/html' } });
      return /<a href="([^"]*)">voters\.yaml<\/a>/.exec(text)?.[1];
    };
    assert.equal(await findVoters('plain'), undefined);
    const voters = await service.get((await findVoters('election')) ?? assert.fail());
    assert.match(voters.text, /^eligible_voters:$/m);
  });

  it('are said to be unknown where an imported season has none', async () => {
    const { service, simulator } = shared;
    await putBoards(service, simulator, [boardOfCommits('imported', '2020-12-31')]);
    await freezeBoards(service, new Date());
    const path = `${engines.name}/boards/imported/seasons`;
    const [first] = (await service.get(`${path}/1`)).body.data as unknown as { evidence_url: string }[];
    await sql`update board_seasons set definition = '{}' where board_id = (select id from boards where slug = 'imported')`.execute(
      service.database.connection,
    );
    const { status, text } = await service.get(`/github/${engines.name}/boards/imported?season=1`, {
      headers: { accept: 'text/html' },
    });
    assert.equal(status, 200, text);
    assert.match(text, /This season has no stored rule, so it is never counted again\./);
    for (const form of ['', '/1', '/1?format=csv', '/1?format=voters', '/1/statement'])
      assert.equal((await service.get(`${path}${form}`)).status, 200, form);
    const [season] = (await service.get(path)).body.data as unknown as { rule_known: boolean; name: string }[];
    assert.deepEqual([season?.rule_known, season?.name], [false, 'imported']);
    const { pathname, search } = new URL(first?.evidence_url ?? assert.fail());
    assert.equal((await service.get(`${pathname}${search}&v=2`)).status, 404);
  });
});
