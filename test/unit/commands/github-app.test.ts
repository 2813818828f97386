import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gitHubAppUrl } from '../../../src/app/commands/github-app.ts';
import { runCommand } from '../../run-command.ts';

describe('the link that registers an App', () => {
  it('requests read access to the collected data and deliveries to this service', async () => {
    const [link = ''] = await runCommand(gitHubAppUrl, ['analytical-engines'], {
      PUBLIC_URL: 'https://plaudit.example/',
    });
    const url = new URL(link);
    const [announcingLink = ''] = await runCommand(gitHubAppUrl, ['--writing', 'engines'], {
      PUBLIC_URL: 'https://plaudit.example',
    });
    assert.match(announcingLink, /&discussions=write&.*checks=write&/);
    assert.equal(
      `${url.origin}${url.pathname}`,
      'https://github.com/organizations/analytical-engines/settings/apps/new',
    );
    const parameters = Object.fromEntries(url.searchParams);
    assert.equal(parameters['webhook_url'], 'https://plaudit.example/v1/github/webhooks');
    assert.deepEqual(url.searchParams.getAll('callback_urls[]'), ['https://plaudit.example/sign-in/github/callback']);
    const permissions = Object.entries(parameters).filter(([, value]) => value === 'read' || value === 'write');
    assert.deepEqual(
      permissions.map(([name, level]) => `${name} ${level}`).toSorted(),
      ['contents', 'discussions', 'issues', 'members', 'metadata', 'pull_requests'].map((name) => `${name} read`),
    );
    const events = url.searchParams.getAll('events[]');
    assert.ok(events.includes('push') && events.includes('issues') && !events.includes('installation'));
    const [own = ''] = await runCommand(gitHubAppUrl, [], {
      PUBLIC_URL: 'https://plaudit.example',
      GITHUB_URL: 'https://git.example',
    });
    assert.ok(own.startsWith('https://git.example/settings/apps/new?'));
    await assert.rejects(runCommand(gitHubAppUrl, [], {}), /PUBLIC_URL must be set/);
    await assert.rejects(runCommand(gitHubAppUrl, ['a', 'b'], {}), /usage/);
    await assert.rejects(
      runCommand(gitHubAppUrl, ['../x'], { PUBLIC_URL: 'https://plaudit.example' }),
      /name of an organization/,
    );
  });
});
