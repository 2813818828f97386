import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toActor } from '../../../../src/hosts/gitlab/actors.ts';

const user = { id: 7, username: 'ada', name: 'Ada', avatar_url: null };

describe('recognition of deleted accounts of GitLab', () => {
  it('recognizes the ghost of deleted accounts, also when a name of it is unreadable', () => {
    for (const username of ['ghost', 'ghost1', 'g\ufffdhost']) {
      assert.equal(toActor({ ...user, username, name: 'Ghost User' }), null);
    }
    assert.equal(toActor({ ...user, username: 'ghost', name: 'G\ufffdhost User' }), null);
  });

  it('returns people whose name or user name resembles the ghost', () => {
    assert.equal(toActor({ ...user, username: 'ghost', name: 'Gwen Host' })?.name, 'ghost');
    assert.equal(toActor({ ...user, username: 'writer', name: 'Ghost User' })?.name, 'writer');
  });
});

const toType = (username: string, name: string): string | undefined => toActor({ ...user, username, name })?.type;

describe('recognition of accounts of GitLab that are no people', () => {
  it('takes the users of access tokens, service accounts and GitLab itself for bots by their names', () => {
    for (const [username, name] of [
      ['GitLabDuo', 'GitLab Duo'],
      ['GitLabDuo1', 'GitLab Duo'],
      ['gitlab_security_policy_project_12_bot_ab12cd', 'GitLab Security Policy Bot'],
      ['gitlab_security_policy_project_12_bot', 'GitLab Security Policy Bot'],
      ['automation-bot', 'GitLab Automation Bot'],
      ['alert-bot2', 'GitLab Alert Bot'],
      ['GitLab-Security-Bot', 'GitLab Security Bot'],
      ['GitLab-Llm-Bot', 'GitLab LLM Bot'],
      ['GitLab-Admin-Bot', 'GitLab Admin Bot'],
      ['visual-review-bot', 'GitLab Visual Review Bot'],
      ['suggested-reviewers-bot', 'GitLab Suggested Reviewers Bot'],
      ['project_5_bot_ab12cd', 'deploy'],
      ['group_5_bot_x9zk2p', 'deploy'],
      ['service_account_group_7_0a1b', 'Service account user'],
    ] as const) {
      assert.equal(toType(username, name), 'bot', username);
    }
    for (const username of ['gitlabduos', 'my-automation-bot', 'automation-bot-fan', 'gitlab_security', 'bot']) {
      assert.equal(toType(username, 'Ada'), 'user', username);
    }
  });

  it('returns no account for import placeholders and the import user', () => {
    for (const [username, name] of [
      ['ada_placeholder_user_1', 'Placeholder Ada Lovelace'],
      ['github_64c4f07e_placeholder_user_12', 'Placeholder github Source User'],
      ['import_user_acme_x9Zk', 'Import User'],
      ['import_user_group_94_a3d9447d9cf93744efd8722baea3746d', 'Import User'],
      ['ada_placeholder_user_1', ''],
    ] as const) {
      assert.equal(toType(username, name), undefined, username);
    }
    assert.equal(toType('ada_placeholder_user_1', 'Ada'), 'user');
    assert.equal(toType('import_user_guide', 'Ada'), 'user');
    assert.equal(toType('ada', 'Placeholder Ada'), 'user');
  });

  it('shows no redacted name of an access token', () => {
    assert.equal(toActor({ ...user, username: 'project_5_bot_ab12cd', name: '****' })?.displayName, '');
  });
});
