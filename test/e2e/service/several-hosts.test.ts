import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startGiteaSimulator } from '../../../simulators/gitea/simulator.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { startGitLabSimulator } from '../../../simulators/gitlab/simulator.ts';
import { deliverySecret } from '../../../simulators/host.ts';
import { approveCommented, createContractWorld } from '../../contract/world.ts';
import { bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { startTestService } from '../service.ts';

describe('hosts of one service', () => {
  it('have accounts of their own under equal names, also those of PROVIDERS_FILE', async () => {
    const { world, now } = createContractWorld();
    approveCommented(world);
    await using github = await startSimulator({ world, now });
    await using gitea = await startGiteaSimulator({ world });
    await using gitlab = await startGitLabSimulator({ world });
    const providersFile = JSON.stringify([
      { name: 'forge', kind: 'forgejo', url: gitea.url, token: gitea.tokens.public_only },
      {
        name: 'work',
        kind: 'gitlab',
        url: gitlab.url,
        token: gitlab.tokens.public_only,
        webhook_secret: deliverySecret,
      },
    ]);
    const settings = { PROVIDERS_FILE: 'hosts.yaml' };
    await using service = await startTestService({ simulator: github, settings, providersFile, now });
    const entity = (host: string): string => `/v1/${host}/entities/${engines.name}`;
    const ids = new Set<unknown>();
    for (const host of ['github', 'forge', 'work']) {
      const { status, body, text } = await service.get(entity(host));
      assert.equal(status, 200, text);
      assert.equal(body.data[0]?.['provider'], host);
      ids.add(body.data[0]?.['id']);
      const card = await service.get(`${entity(host)}/contributions?format=svg`);
      assert.match(card.text, /<svg[^]*Analytical Engines/, host);
    }
    assert.equal(ids.size, 3);
    assert.match((await service.get(entity('elsewhere'))).text, /github, forge.*work/);
    const token = await serviceToken(service, gitea, { ...engines, name: entity('forge') });
    assert.equal((await service.get(`${entity('forge')}/repositories`, bearer(token))).status, 200);
    assert.equal((await service.get(`${entity('work')}/repositories`, bearer(token))).status, 403);
  });
});
