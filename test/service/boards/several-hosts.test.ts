import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';

describe('boards over several hosts', () => {
  const shared = shareStoredService({ service: { settings: { GITEA_URL: 'http://127.0.0.1:9' } } });

  it('are stored and previewed with warnings that name the hosts of their repositories', async () => {
    const { service, simulator } = shared;
    const token = await serviceToken(service, simulator, engines);
    const board = {
      name: 'Stars',
      slug: 'stars',
      repositories: [`${engines.name}/*`, 'gitea/acme/tools'],
      points: [{ action: 'star', points: 1 }],
      people: { only_members_of: 'acme/core' },
    };
    const alone = `a board uses the teams of its own account alone; expected a team of ${engines.name}`;
    const document = { version: 1, boards: [{ board }] };
    for (const [method, path] of [
      ['POST', 'boards/preview'],
      ['PUT', 'boards'],
    ] as const) {
      const { text } = await service.get(`${engines.name}/${path}`, jsonRequest(method, token, document));
      const { faults } = (JSON.parse(text) as { data: { faults: { message: string }[] } }).data;
      assert.deepEqual(
        faults.map(({ message }) => message),
        [
          'github: GitHub shows this only to requests with a token: this rule never holds there',
          'gitea: Gitea and Forgejo do not report the times of stars: this rule never holds there',
          `the members of acme/core are never known: ${alone}`,
        ],
        path,
      );
    }
  });
});
