import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ada, bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { type Description, operationsWith } from './numbers.ts';

/** Wrong values of parameters, each with the nearest valid value; undefined: none is near. */
const wrong: readonly (readonly [query: string, nearest: string | undefined])[] = [
  ['time_zone=Europe/Berln', 'Europe/Berlin'],
  ['time_zone=Berlin&period=2025', 'Europe/Berlin'],
  ['period=last-31d', 'last-30d'],
  ['period=last-month', 'previous-month'],
  ['period=2026-13', '2026-12'],
  ['period=2026-Q5', '2026-Q4'],
  ['period=1969', '1970'],
  ['period=2027', '2026'],
  ['period=2025&since=2025-01-01', undefined],
  ['since=2026-02-30', '2026-02-28'],
  ['since=2026-06-02&until=2026-06-01', '2026-06-01'],
  ['since=1969-12-31', '1970-01-01'],
  ['until=1969-12-31', '1970-01-01'],
  ['since=2026-06-17', '2026-06-16'],
  ['until=yesterday', undefined],
];

/** Wrong values of parameters that some operations have beside a window. */
const wrongElsewhere: Readonly<Record<string, readonly [value: string, nearest: string | undefined][]>> = {
  kinds: [
    ['comits', 'commits'],
    ['commits,revews', 'reviews'],
  ],
  type: [['usr', 'user']],
  compare: [['previus', 'previous']],
  counter: [],
};

/** Parts of paths. */
const parts: Readonly<Record<string, string>> = {
  provider: 'github',
  name: engines.name,
  repository: 'engine-1',
  login: ada.name,
  counter: 'commits',
  language: 'TypeScript',
};

describe('wrong windows', () => {
  const { now } = clock();
  const shared = shareStoredService({ simulator: { now }, service: { now } });
  let own: RequestInit;
  let operations: ReturnType<typeof operationsWith>;

  before(async () => {
    own = bearer(await serviceToken(shared.service, shared.simulator, engines));
    const { text } = await shared.service.get('/openapi.json');
    operations = operationsWith(JSON.parse(text) as Description, 'period').map((operation) =>
      Object.assign(operation, {
        path: operation.path.replace(/\{(\w+)\}/g, (_whole, name: string) => parts[name] ?? assert.fail(name)),
      }),
    );
  });

  const listQueries = (parameters: readonly string[]): (readonly [string, string | undefined])[] => [
    ...wrong,
    ...Object.entries(wrongElsewhere).flatMap(([name, values]) =>
      parameters.includes(name) ? values.map(([value, message]) => [`${name}=${value}`, message] as const) : [],
    ),
  ];

  it('are refused by every endpoint with the nearest valid value', async () => {
    const names = operations.map(({ operationId }) => operationId);
    for (const operationId of [
      'listContributions',
      'listContributors',
      'listContributorEvidence',
      'listRepositoryContributors',
    ])
      assert.ok(names.includes(operationId), names.join());
    for (const { path, parameters, isImageAlone, operationId } of operations) {
      if (isImageAlone) continue;
      for (const [query, nearest] of listQueries(parameters)) {
        const { status, text } = await shared.service.get(`${path}?${query}`, own);
        assert.equal(status, 400, `${operationId} ${query}: ${text}`);
        const { error } = JSON.parse(text) as { error: { code: number; message: string } };
        assert.equal(error.code, 3);
        if (nearest !== undefined) assert.ok(error.message.includes(`did you mean ${nearest}?`), `${query}: ${text}`);
      }
    }
  });

  it('are drawn on every card and badge with the nearest valid value, in the language of the card', async () => {
    const drawn = operations.filter(({ cards }) => cards.length > 0);
    assert.ok(drawn.some(({ isImageAlone }) => isImageAlone));
    for (const { path, parameters, cards, isImageAlone } of drawn) {
      for (const card of cards) {
        for (const [query, nearest] of listQueries(parameters)) {
          const address = `${path}?${query}&format=svg&locale=de${cards.length > 1 ? `&card=${card}` : ''}`;
          const { status, text, headers } = await shared.service.get(address);
          assert.deepEqual([status, headers.get('x-error-code')], [200, '3'], `${address}: ${text}`);
          const isBadge = isImageAlone;
          if (nearest !== undefined && !isBadge)
            assert.ok(text.includes(`Ist ${nearest} gemeint?`), `${address}: ${text}`);
        }
      }
    }
  });

  it('are refused by every page', async () => {
    const page = (path: string) => shared.service.get(path, { headers: { accept: 'text/html' } });
    const community = `/github/${engines.name}`;
    for (const path of [
      community,
      `${community}/engine-1`,
      `${community}/contributions/commits`,
      `${community}/contributors/${ada.name}`,
      `${community}/engine-1/contributions/commits`,
      `${community}/engine-1/contributors/${ada.name}`,
    ]) {
      for (const [query, nearest] of wrong) {
        const { status, text, headers } = await page(`${path}?${query}`);
        assert.equal(status, 400, `${path}?${query}`);
        assert.match(headers.get('content-type') ?? '', /^text\/html/);
        if (nearest !== undefined) assert.ok(text.includes(`did you mean ${nearest}?`), `${path}?${query}: ${text}`);
      }
    }
  });
});
