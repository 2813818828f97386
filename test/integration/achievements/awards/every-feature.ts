import type { AchievementText, PointActionText, TriggerText } from '../evaluation/random-achievements.ts';
import { beginning } from '../evaluation/world.ts';

/** A file of achievements, in the form that the naive evaluation takes. */
export interface FileText {
  pointActions: PointActionText[];
  achievements: NamedText[];
}

export interface NamedText extends AchievementText {
  name: string;
  icon?: string;
  description?: string;
}

/** Returns an achievement for which one trigger has to hold. */
export function simple(name: string, trigger: string, more: Partial<NamedText> = {}): NamedText {
  return { name, day: null, groups: [[toTrigger(trigger)]], ...more };
}

/** Parses `actor action: condition`. */
function toTrigger(text: string): TriggerText {
  const [, actor = '', action = '', condition = ''] = /^(\w+) (\w+): (.*)$/s.exec(text) ?? [];
  return { actor, action, condition } as TriggerText;
}

/** Achievements with every actor, every action, and every form of condition. */
export const everyFeature: FileText = {
  pointActions: [
    { name: 'prs', rules: [{ ...toTrigger('author pull_request: merged = true'), value: 10 }] },
    { name: 'talk', rules: [{ ...toTrigger('author issue_comment: count() >= 2'), value: 3 }] },
  ],
  achievements: [
    simple('First issue', 'author issue: count() >= 1', {
      icon: 'docs/first issue.png',
      description: 'The first one.',
    }),
    simple('Merge hero', 'author pull_request: merged = true & count() >= 3', { icon: 'https://example.org/hero.svg' }),
    simple('Merged twice', 'author pull_request: count(merged = true) >= 2'),
    simple('Closer', 'resolved_by issue: count() >= 1'),
    simple('Answerer', 'resolved_by discussion: answered = true'),
    simple('Assigned', 'assignees issue: count() >= 1'),
    simple('Assigned to changes', 'assignees pull_request: closed = false | closed = true'),
    simple('Reviewer', 'reviewers pull_request: count() >= 2'),
    simple('Reviews', 'author review: count() >= 3'),
    simple('Committer', 'author commit: count() >= 2'),
    simple('Commenter', 'author issue_comment: count() >= 1'),
    simple('Comments on bugs', "author issue_comment: labels in ['BUG'] & count() >= 1"),
    simple('Comments on changes', 'author pull_request_comment: count() >= 2'),
    simple('Starts discussions', 'author discussion: count() >= 1'),
    simple('Popular', 'author discussion: upvotes >= 1 | comments > 2'),
    simple('Star', 'author star: starred = true'),
    simple('Bugs', "author issue: labels in {'bug'}"),
    simple('No bugs', "author issue: labels in !['bug'] & count() >= 2"),
    simple('Loved', 'author issue: emojis in [HEART, ROCKET]'),
    simple('Quick', 'author issue: age(days) < 3'),
    simple('Large', 'author pull_request: additions > 50 & changed_files >= 1'),
    simple('Paths', "author pull_request: files in ['a.ts']"),
    simple('Engineer', "author commit: files in ['src/engine.ts', 'src/wheel.ts'] & count() >= 2"),
    simple('Writer', "author commit: files in ['docs/Räder & Wellen.md']"),
    simple('Not planned', 'author issue: reason = NOT_PLANNED'),
    simple('Only one', 'author issue: count() = 1'),
    simple('Early', 'author issue: created_at < 2024-01-05'),
    simple('Points', 'author point: sum(prs, talk) >= 13'),
    simple('Winner', 'author point: rank(1) sum(prs)'),
    simple('As of then', 'author issue: count() >= 2', { day: 600 }),
    {
      name: 'All-rounder',
      day: null,
      groups: [
        [toTrigger('author issue: count() >= 1')],
        [toTrigger('author pull_request: count() >= 1'), toTrigger('author review: count() >= 1')],
      ],
    },
  ],
};

/** Returns the text of the file. */
export function toYaml({ pointActions, achievements }: FileText): string {
  const actions = pointActions.map(({ name, rules }) => ({
    action: {
      type: 'point',
      name,
      triggers: rules.map((trigger) => ({ trigger })),
    },
  }));
  const entries = achievements.map(({ name, icon, description, day, groups }) => ({
    achievement: {
      name,
      ...(icon !== undefined && { icon }),
      ...(description !== undefined && { description }),
      ...(day !== null && { type: 'once', metadata: { date: toDate(day) } }),
      triggers: groups.flatMap((group) =>
        group.map((trigger, index) => ({
          trigger: { ...trigger, ...(index < group.length - 1 && { operator: '|' }) },
        })),
      ),
    },
  }));
  return JSON.stringify({ version: '0.0.1', actions, achievements: entries }, null, 2);
}

/** Returns the date of the day at whose end people are evaluated. */
function toDate(day: number): string {
  return new Date(beginning + (day - 1) * 86_400_000).toISOString().slice(0, 10);
}
