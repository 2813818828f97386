import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeFile } from '../../../simulators/world/repository-changes.ts';
import { countStoredByKind } from '../../contract/service-responses.ts';
import { createContractWorld } from '../../contract/world.ts';
import { engines } from '../../integration/access/owner.ts';
import { issueHosts, listComments, openIssues } from '../../integration/announcing/issue-hosts.ts';
import { until } from '../../time.ts';
import { untilIdle } from '../access/state.ts';
import { installAsOperator } from '../installations/as-operator.ts';
import { runTask } from '../installations/installed.ts';
import { startTestService } from '../service.ts';

/** Awards that a whole service announces on hosts without discussions. */

const places = {
  good: `${engines.name}/handbook`,
  elsewhere: 'ada-lovelace/handbook',
};

const webhook = (name: string, repository: string): string => `
  - webhook:
      name: ${name}
      type: github
      metadata: { discussion: { repository: ${repository}, title: Awards } }
      events: [ { event: { type: achievement, value: Reporter } } ]`;

const file = `version: 0.0.1
achievements:
  - achievement:
      name: Reporter
      icon: https://images.example/reporter.png
      description: Opened two issues
      triggers:
        - trigger: { actor: author, action: issue, condition: count() >= 2 }
  - achievement:
      name: Talker
      icon: https://images.example/talker.png
      description: Commented twice
      triggers:
        - trigger: { actor: author, action: issue_comment, condition: count() >= 2 }
webhooks:${Object.entries(places)
  .map(([name, repository]) => webhook(name, repository))
  .join('')}
`;

describe('announcements in issues', () => {
  it('announces an award once in the issue that the file names, even after a lost response', async () => {
    const { name, start } = issueHosts.find((host) => host.name === 'gitlab') ?? assert.fail();
    const fixture = createContractWorld();
    const { world, repositories, people, now, advance } = fixture;
    const [here] = openIssues(fixture, repositories.handbook, ['Awards']);
    const [issueOfFork] = openIssues(fixture, repositories.fork, ['Awards']);
    assert.ok(here && issueOfFork);
    const author = { name: 'Olive', email: 'olive-admin@mail.example' };
    writeFile(world, repositories.handbook, '.plaudit/config.yaml', file, author);
    await using simulator = await start(fixture);
    const settings = {
      [`${name.toUpperCase()}_URL`]: simulator.url,
      [`${name.toUpperCase()}_TOKEN`]: simulator.tokens.organization_member,
    };
    await using service = await startTestService({ simulator, tokens: [], settings, now });
    simulator.losses.push('POST /api/v');
    await installAsOperator(service, settings, `${name}/${places.good}`);
    const states = async (): Promise<string[]> => {
      const { rows } = await service.database.pool.query<{ notification: string }>(
        `select distinct state || ' ' || coalesce(error, '') as notification from notifications order by 1`,
      );
      return rows.map(({ notification }) => notification);
    };
    await until(async () => {
      advance(60);
      return (await states()).join() === 'dead is in a repository of another owner,sent ' ? true : undefined;
    }, 'each notification is sent or given up');
    assert.deepEqual(simulator.losses, []);
    const [comment, ...more] = listComments(here);
    assert.deepEqual([more, listComments(issueOfFork), comment?.[0]], [[], [], people.max.id]);
    const words = `🏆 \`ada-lovelace\` earned the achievement \`Reporter\` in \`${places.good}\`.`;
    assert.equal(comment?.[1].split('\n')[0], words);
    const { rows } = await service.database.pool.query<{ id: string; attempts: number }>(
      `select id, attempts from notifications where state = 'sent'`,
    );
    assert.deepEqual(
      rows.map(({ id, attempts }) => [comment?.[1].includes(`<!-- plaudit ${id} -->`), attempts]),
      [[true, 2]],
    );
    // The bearer of the token commented once by himself: with the service's comment he would have two.
    await until(async () => {
      advance(3600);
      await service.database.pool.query('delete from repository_polls');
      await runTask(service, 'poll_due');
      await untilIdle(service);
      return (await countStoredByKind(service, repositories.handbook))['issue_comment'] === 3 ? true : undefined;
    }, 'the comment of the service is read');
    const awards = await service.database.pool.query<{ person: string }>(
      `select a.name as person from awards w join accounts a on a.id = w.account_id
         join achievements h on h.id = w.achievement_id where h.name = 'Talker'`,
    );
    assert.deepEqual(awards.rows, []);
  });
});
