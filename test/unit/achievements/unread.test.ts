import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unreportedBy } from '../../../src/hosts/index.ts';
import {
  findUnread,
  type ReadState,
  type ReadStream,
} from '../../../src/recognition/rules/evaluation/read-state-store.ts';
import { dataOfTrigger } from '../../../src/recognition/rules/file/required-data.ts';
import { fileWith, readText } from './reported.ts';

const complete: ReadStream = { covers: [], isComplete: true, isBeingRead: false, isWithheld: false, failure: null };
const completeState: ReadState = {
  isInstalled: true,
  needs: [],
  streams: [
    { ...complete, covers: ['commit'] },
    { ...complete, covers: ['issue'] },
    { ...complete, covers: ['pull_request', 'review'] },
    { ...complete, covers: ['issue_comment', 'pull_request_comment'] },
    { ...complete, covers: ['review_comment'] },
  ],
  withoutDetails: new Map(),
  skipped: new Map(),
  onDemand: {
    commit_lines: { pending: 0, absent: 0 },
    commit_files: { pending: 0, absent: 0 },
    pull_request_files: { pending: 0, absent: 0 },
  },
};
const allReported = { unreported: [], wasRead: false };

/** Returns the reasons why the result of a trigger is not known; `!` marks data that cannot be fetched. */
function reasons(
  trigger: string,
  state: Partial<ReadState>,
  reading: Parameters<typeof findUnread>[2] = allReported,
): string[] {
  const { config } = readText(fileWith(`{ ${trigger} }`));
  const required = config.achievements
    .flatMap(({ triggers }) => triggers.flat())
    .flatMap((part) => dataOfTrigger(part, []));
  return findUnread({ ...completeState, ...state }, required, reading).map(
    ({ reason, canBeRead }) => `${canBeRead ? '' : '! '}${reason}`,
  );
}

/** Returns the streams with one replaced, or without it. */
function streamsWith(kind: ReadStream['covers'][number], replaced?: Partial<ReadStream>): ReadStream[] {
  return completeState.streams.flatMap((stream) => {
    if (!stream.covers.includes(kind)) return [stream];
    return replaced === undefined ? [] : [{ ...stream, ...replaced }];
  });
}

const issues = 'actor: author, action: issue, condition: count() >= 2';
const bugs = 'actor: author, action: issue, condition: "labels in [\'bug\']"';
const comments = 'actor: author, action: issue_comment, condition: count() >= 2';
const commitLines = 'actor: author, action: commit, condition: additions > 5';
const pullFiles = 'actor: author, action: pull_request, condition: "files in [\'a.ts\']"';

describe('data that a trigger needs and that is not stored', () => {
  it('is nothing where everything was read', () => {
    for (const trigger of [issues, bugs, comments, commitLines, pullFiles]) assert.deepEqual(reasons(trigger, {}), []);
  });

  it('is the whole repository before it is collected', () => {
    assert.deepEqual(reasons(issues, { streams: [] }), ['the repository has not been collected']);
  });

  it('is a list that was not read to its end, with the reason of its failure', () => {
    const listed = (stream: Partial<ReadStream>): string[] =>
      reasons(issues, { streams: streamsWith('issue', { isComplete: false, ...stream }) });
    assert.deepEqual(listed({}), ['issues are not collected yet']);
    assert.deepEqual(listed({ isBeingRead: true }), ['issues are not collected to the end']);
    assert.deepEqual(listed({ failure: 'Issues are disabled.' }), ['issues could not be read: Issues are disabled.']);
    assert.deepEqual(listed({ isComplete: true, isWithheld: true }), [
      '! the host does not show issues to the credential of this service',
    ]);
    assert.deepEqual(reasons(comments, { streams: streamsWith('issue', { isComplete: false }) }), []);
  });

  it('is a list that is collected only for installed repositories, or with a credential', () => {
    const streams = streamsWith('issue_comment');
    assert.deepEqual(reasons(comments, { streams, isInstalled: false }), [
      'comments on issues are collected only for installed repositories',
    ]);
    const noCredential = ['! no credential of this service shows comments on issues'];
    assert.deepEqual(reasons(comments, { streams }), noCredential);
    assert.deepEqual(
      reasons(comments, { streams, isInstalled: false }, { ...allReported, wasRead: true }),
      noCredential,
    );
  });

  it('is what the host does not report', () => {
    const gitea = { ...allReported, unreported: unreportedBy('gitea', true) };
    assert.deepEqual(reasons('actor: author, action: discussion, condition: count() >= 1', {}, gitea), [
      '! Gitea and Forgejo have no discussions',
    ]);
    assert.deepEqual(reasons('actor: author, action: issue, condition: reason = COMPLETED', {}, gitea), [
      '! Gitea and Forgejo do not report why an issue was closed',
    ]);
  });

  it('is the details of items that were read only for counting, where the trigger uses details', () => {
    const withoutDetails = new Map([['issue', 1]] as const);
    const details = ['the details of 1 issue, such as labels and reactions'];
    assert.deepEqual(reasons(issues, { withoutDetails }), []);
    assert.deepEqual(reasons(bugs, { withoutDetails }), details);
    assert.deepEqual(reasons('actor: assignees, action: issue, condition: count() >= 1', { withoutDetails }), details);
    const onBugs = 'actor: author, action: issue_comment, condition: "labels in [\'bug\']"';
    assert.deepEqual(reasons(onBugs, { withoutDetails }), details);
  });

  it('is items that could not be read', () => {
    assert.deepEqual(reasons(issues, { skipped: new Map([['issue', 2]]) }), ['! 2 issues could not be read']);
  });

  it('is lines and files that are pending, or that no achievement needed before', () => {
    const onDemand = { ...completeState.onDemand, commit_lines: { pending: 3, absent: 9 } };
    assert.deepEqual(reasons(commitLines, { onDemand }), ['the changed lines of 9 commits']);
    assert.deepEqual(reasons(commitLines, { onDemand, needs: ['commit_lines'] }), ['the changed lines of 3 commits']);
    assert.deepEqual(reasons(commitLines, { onDemand }, { ...allReported, wasRead: true }), [
      'the changed lines of 3 commits',
    ]);
    const unknown = { ...completeState.onDemand, pull_request_files: { pending: 0, absent: 1 } };
    assert.deepEqual(reasons(pullFiles, { onDemand: unknown }), ['the changed files of 1 pull request']);
    assert.deepEqual(reasons(pullFiles, { onDemand: unknown, needs: ['pull_request_files'] }), [
      '! the host does not show the changed files of 1 pull request',
    ]);
  });
});
