import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addIssue } from '../../../simulators/world/activity.ts';
import { ada } from '../../integration/access/owner.ts';
import { publicUrl, verifyByDid } from '../../service/achievements/credentials/verifiers.ts';
import { clock, until } from '../../time.ts';
import { organization, startAppService, untilRepositoryIs } from '../installations/installed.ts';
import { awardingRepository, writeAchievementsFile } from './awarding/awarding.ts';

const file = `version: 0.0.1
achievements:
  - achievement:
      name: Reporter
      icon: https://images.example/reporter.png
      description: Opened an issue
      triggers:
        - trigger: { actor: author, action: issue, condition: count() >= 1 }
`;

describe('the way of an award', () => {
  it('leads from the delivery of an issue to a card, a page and a credential that others verify', async () => {
    const { now } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    const { world } = simulator;
    const repository = awardingRepository(simulator);
    repository.issues.length = 0;
    writeAchievementsFile(simulator, file);
    await using service = await startAppService(simulator, { settings: { PUBLIC_URL: publicUrl }, now });
    simulator.app.install(organization(simulator), [repository]);
    await untilRepositoryIs(service, 'engine-1', /installed collected/);
    addIssue(world, repository, { author: world.accountByLogin(ada.name) ?? assert.fail() });
    const award = await until(async () => {
      const { body } = await service.get(`${ada.name}/achievements`);
      return body.data.find(({ name }) => name === 'Reporter');
    }, 'the award is listed');
    const id = String(award['id']);
    assert.match((await service.get(`${ada.name}/achievements?format=svg`)).text, /<svg[^]*Reporter/);
    const page = await service.get(`/github/${ada.name}`, { headers: { accept: 'text/html' } });
    assert.match(page.text, /Reporter/);
    const { text } = await service.get(`${ada.name}/achievements/${id}/credential`);
    const credential = await verifyByDid({ service, now }, text);
    assert.match(JSON.stringify(credential.credentialSubject), /Reporter/);
  });
});
