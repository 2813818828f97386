import { Type } from 'typebox';
import type { Connection } from '../../../database/connections/connection.ts';
import { MovedRepository, RepositoryPath } from '../../../http/pipeline/endpoint.ts';
import type { Page, PageServices } from '../../../http/pipeline/pages.ts';
import { cutPage, type Place, staleCursor } from '../../../http/pipeline/pagination.ts';
import type { Account } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';
import {
  type AchievementHolder,
  type DatedAchievement,
  findAchievementHolders,
  findPublicAchievement,
  type HolderPlace,
} from '../../../recognition/achievements/awards/holders-store.ts';
import { asOfTime, heldBy, medal, olderLink, personLink } from '../account/sections.ts';
import { accountPath, awardPath, holdersPath, previewPath, repositoryPath } from '../layout/addresses.ts';
import { html } from '../layout/html.ts';
import { renderDocument, type Site } from '../layout/layout.ts';
import { defineNumber } from '../layout/numbers.ts';
import { type Reader, toReader } from '../layout/reader.ts';
import { collectingLine, isCollecting, pendingPage, progressScriptPath } from '../progress/page.ts';
import { countProgress, type Progress } from '../progress/store.ts';

const Path = Type.Object({
  ...RepositoryPath.properties,
  achievement_id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', maxLength: 36 }),
});
const Query = Type.Object({ after: Type.Optional(Type.String({ maxLength: 500 })) });
const listing = 'holders';
const shownPeople = 50;
/** The time, in ms, after which the page is outdated. Caches keep it for a shorter time. */
const freshMs = 3_600_000;

interface Services extends Pick<PageServices, 'cursors' | 'now'> {
  site: Site;
  connection: Connection;
}

interface Data {
  achievement: DatedAchievement;
  people: readonly AchievementHolder[];
  next: string | undefined;
  /** Counts the repository: more people may follow until it is collected. */
  collected: Progress;
  staleAt: Date;
}

/** Returns the page with the people who hold an achievement of a public repository. */
export function holdersPage({ site, connection, now, cursors }: Services, provider: string): Page<typeof Path, Data> {
  return {
    path: `/${provider}/:name/:repository/achievements/:achievement_id`,
    params: Path,
    query: Query,
    load: async (_read, { account, params: { repository, achievement_id: id }, query }) => {
      const achievement = await findPublicAchievement(connection, { ownerId: account.id, id });
      if (achievement === undefined) throw new AppError('not_found', 'This account has no such public achievement.');
      if (achievement.repository.toLowerCase() !== repository.toLowerCase()) {
        return new MovedRepository(achievement.repository);
      }
      const start = cursors.readStart(listing, query);
      const after = start.after && readPlace(start.after, id);
      const holders = await findAchievementHolders(connection, id, { limit: shownPeople + 1, after });
      const found = cutPage(holders, shownPeople, start);
      const last = found.hasNext ? found.page.at(-1) : undefined;
      const next = last && cursors.write(listing, [id, ...last.place]);
      const followed = { provider: account.provider, name: account.name, repository };
      const collected = await countProgress(connection, followed, { now: now(), reportsTotals: false });
      return { achievement, people: found.page, next, collected, staleAt: new Date(now().getTime() + freshMs) };
    },
    render: (data, { account }, language) => ({
      html: render(site, toReader(language), account, data),
      isComplete: !isCollecting(data.collected),
      staleAt: data.staleAt,
    }),
    renderPending: ({ provider: host, name, repository }, language, wait) =>
      pendingPage(site, toReader(language), { provider: host, name, title: repository, wait }),
  };
}

function readPlace([achievementId, us, awardId]: Place, id: string): HolderPlace {
  if (achievementId !== id || typeof us !== 'string' || typeof awardId !== 'string') throw staleCursor('after');
  return [us, awardId];
}

function render(
  site: Site,
  reader: Reader,
  { provider, name, displayName }: Pick<Account, 'provider' | 'name' | 'displayName'>,
  { achievement, people, next, collected }: Data,
): string {
  const { language, to } = reader;
  const { repository } = achievement;
  const path = holdersPath(provider, name, repository, achievement.id);
  const holdersText = heldBy(achievement.holders, reader);
  const [newest] = people;
  const icon = newest && medal(newest, { holders: achievement.holders, sizePx: 96 });
  return renderDocument(site, reader, {
    title: `${achievement.name} · ${name}/${repository}`,
    description: `${achievement.name}: ${holdersText}`,
    path,
    previewPath: previewPath(provider, name, 'contributors', { repository }),
    isAboutAccount: true,
    scripts: isCollecting(collected) ? [progressScriptPath] : [],
    main: html`<section class="award">${icon}<div><p class="handle"><a href="${to(accountPath(provider, name))}">${displayName || name}</a> · <a href="${to(repositoryPath(provider, name, repository))}">${repository}</a> · ${language.words.achievementsTitle}</p>
<h1><bdi>${achievement.name}</bdi></h1>
${achievement.description !== '' && html`<p class="bio" dir="auto">${achievement.description}</p>`}</div></section>
${isCollecting(collected) && collectingLine({ provider, name, repository }, collected, reader)}
<section><h2>${holdersText}</h2><p class="note">${defineNumber('holders', reader)} · ${asOfTime(achievement.asOf, reader)}</p>
${
  people.length === 0
    ? html`<p class="empty">${language.words.nobodyYet}</p>`
    : html`<ol class="people holders">${people.map(
        (person) =>
          html`<li>${personLink(person.provider, { name: person.name, display_name: person.displayName }, reader)}
<a class="number" href="${to(awardPath(person.provider, person.name, person.awardId))}"><time datetime="${person.awardedAt.toISOString()}">${language.date(person.awardedAt)}</time></a></li>`,
      )}</ol>`
}
${next !== undefined && olderLink(path, { after: next }, reader)}</section>`,
  });
}
