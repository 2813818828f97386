import { type CounterName, rules } from './kinds.ts';

/** The definitions of counters that count the items of all people in repositories, as those of organizations do. */
const ofAll: Readonly<Record<CounterName, string>> = {
  commits: 'Commits on the default branch of repositories that are no forks, each once.',
  issues: 'Issues of the repositories, by all people.',
  pull_requests: 'Pull requests of the repositories, by all people.',
  reviews: 'Reviews of pull requests of the repositories, by all people.',
  stars: 'Stars of the repositories, forks excluded.',
  contributed_to: 'Repositories of the account with at least one commit, issue, pull request or review.',
  issues_closed: 'Closed issues of the repositories, by all people.',
  pull_requests_merged: 'Merged pull requests of the repositories, by all people.',
  discussions: 'Discussions of the repositories, by all people.',
  discussions_answered: 'Discussions of the repositories with an accepted answer.',
};

/** Returns the sentences that define a counter: of a person, or of the items of all people in repositories. */
export function definitionsOf(counter: CounterName, { isOfAll }: { isOfAll: boolean }): readonly [string, ...string[]] {
  const [first = '', ...others] = rules.filter((rule) => rule.counter === counter).map(({ means }) => means);
  return isOfAll ? [ofAll[counter]] : [first, ...others];
}
