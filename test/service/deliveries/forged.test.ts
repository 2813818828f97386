import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signed, webhookSecret } from '../../../simulators/github/deliver.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { installAsOperator } from '../../e2e/installations/as-operator.ts';
import type { TestService } from '../../e2e/service.ts';
import { engines } from '../../integration/access/owner.ts';
import { startSteppedService } from '../sync/stepped-service.ts';

interface Item {
  kind: string;
  external_id: string;
  repository: string;
}

async function storedItems({ database }: TestService): Promise<Item[]> {
  const { rows } = await database.pool.query<Item>(
    `select c.kind, c.external_id, r.external_id as repository from contributions c
     join repositories r on r.id = c.repository_id
     where r.name = 'engine-1' order by c.kind, c.external_id`,
  );
  return rows;
}

/** The event, and the field of its payload, by which GitHub reports the deletion of each kind of item. */
const deletions: Record<string, [event: string, field: string]> = {
  issue: ['issues', 'issue'],
  pull_request: ['pull_request', 'pull_request'],
  review: ['pull_request_review', 'review'],
  issue_comment: ['issue_comment', 'comment'],
  pull_request_comment: ['issue_comment', 'comment'],
  review_comment: ['pull_request_review_comment', 'comment'],
  discussion: ['discussion', 'discussion'],
};

/** Returns a signed delivery that reports an item as deleted that its host still shows. */
function forgedDeletion({ kind, external_id: id, repository }: Item) {
  const about = { action: 'deleted', repository: { id: Number(repository), updated_at: '2030-01-01T00:00:00Z' } };
  if (kind === 'star') return signed('star', JSON.stringify({ ...about, sender: { id: Number(id), login: 'x' } }));
  const [event, field] = deletions[kind] ?? assert.fail(kind);
  const issue = kind === 'pull_request_comment' ? { pull_request: {} } : {};
  return signed(event, JSON.stringify({ ...about, issue, [field]: { ...issue, id: Number(id) } }));
}

describe('verification of deletions that deliveries report', () => {
  it('removes no item of any kind while the host still lists it', async () => {
    await using simulator = await startSimulator();
    const settings = {
      GITHUB_WEBHOOK_SECRET: webhookSecret,
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
      GITHUB_TOKEN: simulator.tokens.organization_admin,
    };
    await using service = await startSteppedService({ simulator, settings, tokens: ['organization_admin'] });
    await installAsOperator(service, settings, `github/${engines.name}/engine-1`);
    await service.work();
    const before = await storedItems(service);
    const { rows: states } = await service.database.pool.query('select distinct kind from contributions');
    assert.ok(states.length >= 7, JSON.stringify(states));
    const firstOfEach = [...new Map(before.map((item) => [item.kind, item])).values()];
    // While GitHub is unavailable, only the deliveries themselves could change anything.
    simulator.faults.add({ kind: 'unavailable', times: 1_000_000 });
    for (const item of firstOfEach) {
      const { status } = await service.get('/v1/github/webhooks', { method: 'POST', ...forgedDeletion(item) });
      assert.equal(status, 202, item.kind);
    }
    const unapplied = await service.database.pool.query('select from deliveries where applied_at is null');
    assert.equal(unapplied.rowCount, 0);
    assert.deepEqual(await storedItems(service), before);
    simulator.faults.clear();
    await service.work();
    assert.deepEqual(await storedItems(service), before);
  });
});
