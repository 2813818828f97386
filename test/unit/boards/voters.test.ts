import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { toForm } from '../../../src/recognition/boards/seasons/routes.ts';
import { boardWith, readText } from './reported.ts';

const at = new Date('2026-09-01T00:00:00Z');
const person = (provider: string, name: string) => ({
  id: '01a214fa-077b-70d1-a075-fa6243d82385',
  provider,
  type: 'user' as const,
  name,
  display_name: '',
  url: '',
  avatar_url: '',
});
const row = (of: ReturnType<typeof person> | null, eligible: boolean) => ({
  rank: 1,
  points: 1,
  points_by_rule: [],
  granted: 0,
  change: null,
  newcomer: false,
  returning: false,
  eligible,
  teams: [],
  person: of,
  evidence_url: null,
});

describe('the list of voters of a season', () => {
  const [board = assert.fail()] = readText(boardWith('threshold: 1')).boards;
  const season = {
    boardId: '01a214fa-077b-70d1-a075-fa6243d82385',
    number: 1,
    version: 2,
    since: null,
    until: at,
    definition: board.definition,
    coverage: { repositories: 2, complete: 1, incomplete: [], isCut: false },
    counted: null,
    teamMembers: null,
    asOf: at,
    missing: [],
    frozenAt: at,
    reason: '',
    differences: [],
    statement: '',
  };
  const listVoters = (...items: ReturnType<typeof row>[]): string =>
    String(toForm('voters', board, season, items).document?.body);

  it('names people of other hosts with their host, and counts those without a name', () => {
    const text = listVoters(
      row(person('github', 'zoe'), true),
      row(person('codeberg', 'zoe'), true),
      row(person('github', 'bo'), false),
      row(null, true),
      row(null, false),
      row(person('github', '123'), true),
    );
    assert.deepEqual(text.split('\n').slice(0, 3), [
      '# 1 of 2 repositories are complete as of 2026-09-01T00:00:00Z',
      '# Sprint, season 1, version 2',
      '# 1 more eligible: erased or hidden since, and not listed',
    ]);
    assert.deepEqual(parse(text), { eligible_voters: ['123', 'codeberg/zoe', 'zoe'] });
  });

  it('is empty where no person is eligible', () => {
    const text = listVoters(row(person('github', 'bo'), false));
    assert.deepEqual(parse(text), { eligible_voters: [] });
    assert.doesNotMatch(text, /more eligible/);
  });
});
