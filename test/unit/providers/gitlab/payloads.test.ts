import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ProjectPayload, SignedInProjectPayload } from '../../../../src/hosts/gitlab/payloads.ts';
import { readTolerantly } from '../../../../src/hosts/http/tolerant.ts';

const project = { id: 7, path: 'engine', namespace: { id: 3, full_path: 'analytical' } };

describe('visibility of GitLab projects', () => {
  it('counts as private and is reported where a request with a token does not get it', () => {
    const { reading, skipped } = readTolerantly(SignedInProjectPayload, project, 'repository');

    assert.ok('value' in reading);
    assert.equal((reading.value as typeof project & { visibility: string }).visibility, 'private');
    assert.ok(skipped.some(({ path }) => path.endsWith('visibility')));
  });

  it('is expected to be absent without a token', () => {
    const { skipped } = readTolerantly(ProjectPayload, project, 'repository');

    assert.ok(skipped.every(({ path }) => !path.endsWith('visibility')));
  });
});
