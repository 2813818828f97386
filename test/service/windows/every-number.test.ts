import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { contributionKinds, counterRows, namesOfKinds } from '../../../src/model/kinds.ts';
import { toLevelProgress } from '../../../src/model/level.ts';
import { loadTexts } from '../../../src/views/languages/texts.ts';
import { sampled } from '../../depth.ts';
import { ada, bearer, engines, keeper, serviceToken } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { freezeBoards } from '../boards/ended-boards.ts';
import { readPages } from '../http/read-pages.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { storeBoard } from '../pages/stored-board.ts';
import { defined, definedOnCards, others } from './defined-numbers.ts';
import { type Description, listCards, listNumbers } from './numbers.ts';

/** The counters that the card shows on request. */
const rareCounters = counterRows.flatMap(({ name, isUsual }) => (isUsual ? [] : [name]));
/** Returns whether a counter is not known in windows, because the stored items have no times. */
const isTimeless = (counter: string): boolean => counter === 'stars' || counter === 'discussions_answered';
const format = (value: number): string => new Intl.NumberFormat('en').format(value);

interface Account {
  experience: number;
  level: number;
  contributions: Record<string, number>;
  window?: { since: string; until: string };
}

/** A person of a board. */
interface Ranked {
  rank: number;
  person: { name: string };
  points: number;
  points_by_rule: { rule: number; points: number }[];
  evidence_url: string;
}

describe('every number', () => {
  const { now } = clock();
  const shared = shareStoredService({ simulator: { now }, service: { now } });
  let own: RequestInit;
  before(async () => {
    own = bearer(await serviceToken(shared.service, shared.simulator, engines));
  });
  const findList = async <Item>(path: string, init?: RequestInit): Promise<Item[]> =>
    (await readPages(shared.service, path, init)).items as Item[];

  /** Checks that the items at an address and the remainder are together a number. */
  const prove = async (number: number | undefined, path: string, init?: RequestInit): Promise<void> => {
    const { items, meta } = await readPages(shared.service, path, init);
    const { total, itemised, remainder } = meta as {
      total: number;
      itemised: number;
      remainder: Record<string, number>;
    };
    const rest = Object.values(remainder).reduce((sum, part) => sum + part, 0);
    assert.deepEqual([total, items.length, items.length + rest], [number, itemised, number], path);
  };
  const description = async (path: string): Promise<string> => {
    const { text, status } = await shared.service.get(path);
    assert.equal(status, 200, text);
    return /<desc id="desc">([^]*)<\/desc>/.exec(text)?.[1] ?? /<title[^>]*>([^]*)<\/title>/.exec(text)?.[1] ?? '';
  };

  it('is defined, on every endpoint and card', async () => {
    const { text } = await shared.service.get('/openapi.json');
    const api = JSON.parse(text) as Description;
    const definitions = JSON.parse((await shared.service.get('/v1/definitions')).text) as {
      data: { counter: string }[];
    };
    const counters = new Set(definitions.data.map(({ counter }) => counter));
    for (const [operation, paths] of listNumbers(api)) {
      const numbers = paths.filter((path) => !others.test(path)).map((path) => path.replace('data[].', ''));
      const expected = Object.keys(defined[operation] ?? {});
      assert.deepEqual(
        numbers.toSorted(),
        expected.toSorted(),
        `${operation} has other numbers than defined-numbers.ts`,
      );
    }
    assert.deepEqual(listCards(api).toSorted(), Object.keys(definedOnCards).toSorted());
    const named = [...Object.values(defined).flatMap(Object.values<string>), ...Object.values(definedOnCards).flat()];
    for (const counter of named) assert.ok(counters.has(counter), counter);
  });

  for (const query of [
    '',
    'period=2025&time_zone=Pacific/Kiritimati',
    'since=2026-02-03T04:05:06Z&until=2026-05-01T00:00:00Z',
  ]) {
    it(`adds up for an account ${query === '' ? 'in its lifetime' : `for ${query}`}`, async () => {
      for (const { name } of [ada, engines, keeper]) {
        const path = `${name}/contributions`;
        const [account] = await findList<Account>(`${path}?limit=1&${query}`);
        assert.ok(account);
        for (const [counter, number] of Object.entries(account.contributions)) {
          if (query !== '' && isTimeless(counter)) continue;
          await prove(number, `${path}/${counter}?limit=100&${query}`);
        }
        const drawn = await description(`${path}?format=svg&show=${rareCounters.join(',')}&${query}`);
        for (const { name: counter } of counterRows) {
          if (query !== '' && isTimeless(counter)) continue;
          const [label, value] = [loadTexts('en').cards[counter], account.contributions[counter] ?? 0];
          assert.ok(drawn.includes(`${label}: ${format(value)}`), `${label} ${value}: ${drawn}`);
        }
        if (query !== '') continue;
        assert.ok(drawn.startsWith(`Level ${account.level}.`), drawn);
        const sum = Object.values(account.contributions).reduce((all, number) => all + number, 0);
        assert.equal(account.experience, sum);
        assert.equal(toLevelProgress(sum).next, account.level + 1);
      }
    });
  }

  it('adds up for a series in its own window, and as the trend of a card', async () => {
    const path = `${engines.name}/contributions`;
    const series = `${path}?period=this-month&limit=12`;
    const items = (await shared.service.get(series)).body.data as unknown as Account[];
    const kinds = namesOfKinds(contributionKinds);
    const sums: number[] = [];
    const proven = sampled(
      items.map(({ window }) => window),
      4,
    );
    for (const { window, contributions } of items) {
      const within = `since=${window?.since}&until=${window?.until}`;
      if (proven.includes(window)) {
        for (const kind of kinds) await prove(contributions[kind], `${path}/${kind}?limit=100&${within}`);
      }
      sums.push(kinds.reduce((sum, kind) => sum + (contributions[kind] ?? 0), 0));
    }
    assert.ok((await description(`${series}&format=svg&show=trend`)).includes(sums.toReversed().join(', ')));
  });

  it('adds up for a repository', async () => {
    const repositories = await findList<{ name: string; fork: boolean; stars: number }>(
      `${engines.name}/repositories`,
      own,
    );
    for (const { name, fork, stars } of repositories) {
      const path = `${engines.name}/repositories/${name}/contributions`;
      const [numbers] = await findList<Account>(path, own);
      for (const [counter, number] of Object.entries(numbers?.contributions ?? {}))
        await prove(number, `${path}/${counter}?limit=100`, own);
      if (!fork) assert.equal(numbers?.contributions['stars'], stars);
    }
  });

  it('adds up for contributors, however the list is narrowed, and as drawn', async () => {
    const path = `${engines.name}/contributors`;
    const windows = ['', 'period=2025', 'newcomers=true&since=2011-01-01'];
    const narrowed = [
      '',
      'kinds=commits,reviews',
      'repositories=engine-1',
      'exclude_repositories=engine-1',
      'repository=engine-1',
      'repositories=engine-1,much-reviewed&exclude_repositories=engine-1',
    ];
    const queries = narrowed.flatMap((narrow) =>
      windows.map((window) => [window, narrow].filter((part) => part !== '').join('&')),
    );
    for (const query of sampled(queries, 2)) {
      const people = await findList<{ name: string; contributions: number }>(`${path}?limit=100&${query}`);
      const ofPerson = query.replace('newcomers=true&', '');
      for (const { name, contributions } of people.slice(0, 4))
        await prove(contributions, `${path}/${encodeURIComponent(name)}/evidence?limit=100&${ofPerson}`);
      const drawn = await description(`${path}?limit=100&format=svg&bots=true&${query}`);
      for (const { name, contributions } of people)
        assert.ok(drawn.includes(`${name}: ${contributions}`), `${query}: ${drawn}`);
    }
    const absent = await shared.service.get(`${path}/${ada.name}/evidence?repositories=no-such`);
    const hidden = await shared.service.get(`${path}/${ada.name}/evidence?repositories=hidden-engine`);
    assert.deepEqual([absent.status, hidden.status, hidden.text], [404, 404, absent.text]);
    const [first] = await findList<{ name: string; contributions: number }>(
      `${engines.name}/repositories/engine-1/contributors`,
      own,
    );
    await prove(
      first?.contributions,
      `${engines.name}/repositories/engine-1/contributors/${first?.name}/evidence?limit=100`,
      own,
    );
  });

  it('says that it lacks bots, whom the list has', async () => {
    for (const path of [`${engines.name}/badges/community?`, `${engines.name}/contributors?format=svg&`]) {
      for (const query of ['', 'period=this-year', 'bots=false']) {
        assert.match(await description(`${path}${query}`), /contributors? · without bots/, `${path}${query}`);
      }
      for (const query of ['bots=true', 'type=user', 'type=agent&period=2025']) {
        assert.doesNotMatch(await description(`${path}${query}`), /bots/, `${path}${query}`);
      }
    }
  });

  it('is on a badge that of the people in the list', async () => {
    const queries = ['', 'period=2025', 'kinds=reviews', 'newcomers=true&since=2011-01-01'];
    const narrowed = ['', '&repository=engine-1', '&repositories=engine-1', '&exclude_repositories=engine-1'];
    for (const query of sampled(
      queries.flatMap((one) => narrowed.map((narrow) => `${one}${narrow}`)),
      3,
    )) {
      const people = await findList(`${engines.name}/contributors?limit=100&bots=true&${query}`);
      const drawn = await description(`${engines.name}/badges/community?bots=true&${query}`);
      assert.ok(drawn.includes(` ${people.length} contributor`), `${query}: ${drawn}`);
    }
    for (const query of queries) {
      const ofOne = await findList(`${engines.name}/contributors?limit=100&bots=true&repository=engine-1&${query}`);
      const badge = await description(`${engines.name}/repositories/engine-1/badges/community?bots=true&${query}`);
      assert.ok(badge.includes(` ${ofOne.length} contributor`), badge);
    }
  });

  it('is for days the sum of their items', async () => {
    const findSum = async (name: string, query: string): Promise<number> => {
      let sum = 0;
      for (const kind of namesOfKinds(contributionKinds))
        sum += (await findList(`${name}/contributions/${kind}?limit=100&${query}`)).length;
      return sum;
    };
    const calendar = await description(`${ada.name}/contributions?format=svg&card=calendar`);
    assert.equal(
      /^(\d+) contributions/.exec(calendar)?.[1],
      String(await findSum(ada.name, 'period=last-365d')),
      calendar,
    );
    const people = await findList<{ contributions: number }>(`${engines.name}/contributors?limit=100&period=last-365d`);
    const ofAll = people.reduce((sum, { contributions }) => sum + contributions, 0);
    const drawn = await description(`${engines.name}/contributions?format=svg&card=calendar`);
    assert.equal(/^(\d+) contributions/.exec(drawn)?.[1], String(ofAll), drawn);
    const streak = await description(`${ada.name}/contributions?format=svg&card=streak`);
    assert.match(streak, /Longest streak: 2 days \(Feb 5 – 6, 2026\)/);
    for (const day of ['2026-02-05', '2026-02-06'])
      assert.ok((await findSum(ada.name, `since=${day}&until=${day}`)) > 0);
    for (const day of ['2026-02-04', '2026-02-07'])
      assert.equal(await findSum(ada.name, `since=${day}&until=${day}`), 0);
  });

  it('adds up for a board, now and in a frozen season, and as drawn', async () => {
    const { service, simulator } = shared;
    await storeBoard(service, simulator);
    await freezeBoards(service, new Date('2042-02-01'));
    const path = `${engines.name}/boards/all`;
    const drawn = await description(`${path}?format=svg&limit=100`);
    for (const list of [path, `${path}/seasons/1`]) {
      const people = await findList<Ranked>(`${list}?limit=100`);
      assert.ok(people.length > 3);
      for (const { person, points, rank, points_by_rule: byRule, evidence_url: url } of people) {
        const { pathname, search } = new URL(url);
        const { items, meta } = await readPages(service, `${pathname}${search}`);
        const { total, itemised, granted, remainder } = meta['sum'] as Record<string, number>;
        const ofRule = (rule?: number): number =>
          (items as { points: number; rule: number }[]).reduce(
            (all, item) => all + (rule === undefined || item.rule === rule ? item.points : 0),
            0,
          );
        const sum = ofRule();
        for (const { rule, points: given } of byRule) assert.equal(ofRule(rule), given);
        assert.equal(rank, 1 + people.filter((one) => one.points > points).length);
        assert.deepEqual([total, itemised, granted, remainder], [points, sum, 0, 0], url);
        assert.equal(sum, points);
        const table = await service.get(`${pathname}?format=csv&${search.slice(1)}`);
        const parts = ['total', 'itemised', 'granted', 'remainder'].map((name) => table.headers.get(`x-${name}`));
        assert.deepEqual(parts, [points, sum, 0, 0].map(String));
        assert.ok(table.text.split('\r\n')[1]?.includes(`,${parts.join(',')},`), table.text);
        assert.ok(drawn.includes(`${person.name}: ${points}`), drawn);
      }
    }
    const [board] = await findList<{ people: number }>(`${engines.name}/boards`);
    assert.equal(board?.people, (await findList(`${path}?limit=100`)).length);
  });
});
