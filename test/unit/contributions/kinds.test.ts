import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  contributionKinds,
  counterNames,
  counterRows,
  listNeeds,
  namesOfKinds,
  ofDays,
  ofPeople,
  storedCounters,
} from '../../../src/model/kinds.ts';

const lifetime = [
  'commits',
  'issues',
  'pull_requests',
  'reviews',
  'stars',
  'contributed_to',
  'issues_closed',
  'pull_requests_merged',
  'discussions',
  'discussions_answered',
];

describe('the list of counters', () => {
  it('has exactly the ten lifetime counters of the API, in its order', () => {
    assert.deepEqual(counterNames, lifetime);
  });

  it('keeps contributions for days, what ended for people, and comments and stars for repositories', () => {
    const names = (counters: typeof storedCounters): string[] => counters.map(({ name }) => name);
    const ofDay = ['commits', 'issues', 'pull_requests', 'reviews', 'discussions'];
    const ended = ['issues_closed', 'pull_requests_merged', 'discussions_answered'];
    const others = ['issue_comments', 'pull_request_comments', 'review_comments', 'stars'];
    assert.deepEqual(names(ofDays(storedCounters)), ofDay);
    assert.deepEqual(names(ofPeople(storedCounters)).toSorted(), [...ofDay, ...ended].toSorted());
    assert.deepEqual(names(storedCounters).toSorted(), [...ofDay, ...ended, ...others].toSorted());
  });

  it('gives each rule a stable id of its own', () => {
    const rules = storedCounters.map(({ rule }) => rule);
    assert.equal(new Set(rules).size, rules.length);
    for (const rule of rules) assert.match(rule, /^[a-z-]+\.[a-z-]+$/);
  });

  it('names the kinds that count as contributions, and their counters', () => {
    assert.deepEqual(contributionKinds, ['commit', 'issue', 'pull_request', 'review', 'discussion']);
    assert.deepEqual(namesOfKinds(['review', 'commit']), ['commits', 'reviews']);
    assert.deepEqual(listNeeds('contributed_to'), ['commit', 'issue', 'pull_request', 'review']);
  });

  it('orders the rows of the card, the usual ones first', () => {
    assert.deepEqual(
      counterRows.map(({ name }) => name),
      [
        'commits',
        'pull_requests',
        'reviews',
        'issues',
        'stars',
        'contributed_to',
        'pull_requests_merged',
        'issues_closed',
        'discussions',
        'discussions_answered',
      ],
    );
    assert.deepEqual(
      counterRows.map(({ isUsual }) => isUsual),
      counterRows.map((_, index) => index < 6),
    );
  });
});
