import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rankBoard } from '../../../src/recognition/boards/ranking/rank-board.ts';
import { engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';

describe('accounts for which their host has no image', () => {
  const shared = shareStoredService({ service: {} });

  it('have the address of their initials, which cards draw without a request', async () => {
    const { simulator, service } = shared;
    const { user, organization } = simulator.accounts;
    await service.database.pool.query(`update accounts set avatar_url = ''`);
    const initials = (name: unknown): string => `${service.url}/avatars/github/${encodeURIComponent(String(name))}`;
    for (const path of [
      user,
      organization,
      `${user}/contributions`,
      `${user}/contributions?period=this-year`,
      `${organization}/contributors`,
      `${organization}/contributors?period=this-year`,
    ]) {
      const { body } = await service.get(path);
      assert.ok(body.data.length > 0, path);
      for (const { name, avatar_url: address } of body.data) assert.equal(address, initials(name), path);
    }

    const { status, headers, text } = await service.get(`/avatars/github/${user}`);
    assert.deepEqual([status, headers.get('content-type')], [200, 'image/svg+xml; charset=utf-8']);
    assert.match(text, /<text /);
    for (const card of [`${user}/contributions?format=svg`, `${organization}/contributors?format=svg`]) {
      const { text: drawn } = await service.get(card);
      assert.match(drawn, /^<svg /, card);
      assert.doesNotMatch(drawn, /<image /, card);
    }
    const { rows } = await service.database.pool.query('select url from images');
    assert.deepEqual(rows, []);
  });

  it('have the same address on boards', async () => {
    const { simulator, service } = shared;
    const { connection, pool } = service.database;
    await pool.query(`update accounts set avatar_url = ''`);
    const points = [{ action: 'commit', points: 1 }];
    const board = { name: 'All', slug: 'all', repositories: ['analytical-engines/engine-1'], points };
    const token = await serviceToken(service, simulator, engines);
    await service.get(`${engines.name}/boards`, jsonRequest('PUT', token, { version: 1, boards: [{ board }] }));
    const { id } = await connection.selectFrom('boards').select('id').executeTakeFirstOrThrow();
    await rankBoard({ connection, now: () => new Date() }, id);
    const { body } = await service.get(`${engines.name}/boards/all`);
    const people = body.data.map(({ person }) => Object(person));
    assert.ok(people.length > 0);
    for (const { name, avatar_url: address } of people) {
      assert.equal(address, `${service.url}/avatars/github/${encodeURIComponent(name)}`);
    }
  });
});
