import { addCommit, addPullRequest } from '../../simulators/world/activity.ts';
import type { Person, PullRequest } from '../../simulators/world/model.ts';
import { closeItem } from '../../simulators/world/mutations.ts';
import type { Random } from '../../simulators/world/random.ts';
import type { World } from '../../simulators/world/world.ts';
import { accountCalled, agentAddress, members, programs } from './community.ts';
import { colleagues, type Happening, type Life, plan, repositoryAt, toPerson, who } from './life.ts';
import { pullRequestTitles } from './titles.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The days before the end on which programs work. */
const programDays = 150;
/** The repositories whose dependencies the bot updates. */
const updated = ['sample-garden/seedbook', 'sample-garden/greenhouse', 'sample-harbour/tidewater'];
const packages = ['fastify', 'sharp', 'kysely', 'tokio', 'serde', 'numpy'];
const agent: Person = { name: programs.agent.name, email: agentAddress };
const bot: Person = {
  name: programs.bot.login,
  email: `${programs.bot.id}+${programs.bot.login}@users.noreply.github.com`,
};
/** The people who write with the agent. */
const assisted = members.slice(0, 3);

/** Plans what programs do: weekly updates of dependencies, and commits that people write with an agent. */
export function planPrograms(world: World, random: Random, until: number): Happening[] {
  return plan(world, random, until, (life) => planDays(life, until));
}

function planDays(life: Life, until: number): void {
  for (let day = until - programDays * dayMs; day < until; day += dayMs) {
    const weekday = new Date(day).getUTCDay();
    if (weekday === 1) for (const path of updated) planUpdate(life, path, day + 5 * hourMs);
    if (weekday % 3 === 2) planAssisted(life, day + 15 * hourMs);
  }
}

function planUpdate(life: Life, path: string, at: number): void {
  const { world, random, plan: add } = life;
  const [major, minor] = [random.integer(1, 5), random.integer(0, 8)];
  const title = `Bump ${random.pick(packages)} from ${major}.${minor}.0 to ${major}.${minor + 1}.0`;
  const isMerged = random.chance(0.8);
  const member = members.find((one) => one.places.includes(path));
  const merger = member && (colleagues(member, path, at)[0] ?? member);
  let pull: PullRequest | undefined;
  add(at, () => {
    const author = accountCalled(world, programs.bot.login);
    const files = [{ path: 'package.json', additions: 1, deletions: 1 }];
    pull = addPullRequest(world, repositoryAt(world, path), { author, files });
    pull.title = title;
  });
  add(at + random.integer(4, 60) * hourMs, () => {
    if (pull === undefined || merger === undefined) return;
    closeItem(world, pull, { merged: isMerged, by: who(life, merger) });
    if (isMerged) addCommit(world, repositoryAt(world, path), { author: bot, message: title });
  });
}

/** Half of these commits name the agent as co-author, the others say which program helped. */
function planAssisted(life: Life, at: number): void {
  const { world, random, plan: add } = life;
  const member = random.pick(assisted);
  const [path = ''] = member.places;
  const title = random.pick(pullRequestTitles);
  const isCoAuthor = random.chance(0.5);
  const message = isCoAuthor ? title : `${title}\n\nAssisted-by: Copilot`;
  add(at, () => {
    const coAuthors = isCoAuthor ? [agent] : [];
    addCommit(world, repositoryAt(world, path), { author: toPerson(member), coAuthors, message });
  });
}
