import assert from 'node:assert/strict';
import type { Browser, BrowserContext } from 'playwright-core';
import type { SharedService } from '../../e2e/shared-service.ts';
import { ada, engines, keeper } from '../../integration/access/owner.ts';
import { storeLanguages } from '../../integration/contributions/store-languages.ts';
import { award } from '../achievements/award.ts';
import { freezeBoards } from '../boards/ended-boards.ts';
import { sharedBrowser } from '../cards/browser.ts';
import { storeBoard } from './stored-board.ts';
import { storeProgress } from './stored-progress.ts';

/** A type of pages, and an example of it. */
export interface PageType {
  name: string;
  path: string;
  /** True for pages that are shown to a person who is signed in. */
  isOwn?: true;
  /** True where another type has the same parts with other contents: `npm test` leaves it to the long tier. */
  isVariant?: true;
  /** True where scripts change the text, so that it is another one without them. */
  changesItself?: true;
}

const person = `/github/${ada.name}`;
const community = `/github/${engines.name}`;
const repository = `${community}/engine-1`;
const settings = `/settings/github/${keeper.name}`;

/** Every type of pages. The demonstration's stand-in is looked at in the test of the demonstration. */
function listTypes(awardId: string, achievementId: string): PageType[] {
  const sections = ['overview', 'privacy', 'access', 'embeds', 'notifications', 'audit', 'data'];
  return [
    { name: 'start', path: '/' },
    { name: 'host', path: '/github', isVariant: true },
    { name: 'person', path: person },
    { name: 'community', path: community },
    { name: 'community-window', path: `${community}?period=last-365d`, isVariant: true },
    { name: 'repository', path: repository },
    {
      name: 'repository-days',
      path: `${repository}?since=2014-01-01&until=2030-12-31&time_zone=Asia/Tokyo`,
      isVariant: true,
    },
    { name: 'repository-counter', path: `${repository}/contributions/pull_requests` },
    { name: 'counter', path: `${person}/contributions/commits` },
    { name: 'language', path: `${person}/contributions/languages/C%2B%2B` },
    { name: 'contributor', path: `${community}/contributors/${ada.name}?period=this-year` },
    { name: 'award', path: `${person}/achievements/${awardId}` },
    { name: 'progress', path: `${person}/achievements/next` },
    { name: 'holders', path: `${community}/Shown/achievements/${achievementId}` },
    { name: 'board', path: `${community}/boards/all` },
    { name: 'board-team', path: `${community}/boards/all?team=red`, isVariant: true },
    { name: 'board-season', path: `${community}/boards/all?season=1`, isVariant: true },
    { name: 'board-person', path: `${community}/boards/all/people/${ada.name}` },
    { name: 'composer', path: `/cards?name=${ada.name}`, changesItself: true },
    { name: 'composer-example', path: '/cards?card=languages', changesItself: true, isVariant: true },
    { name: 'gallery', path: '/gallery' },
    { name: 'gallery-card', path: '/gallery?card=streak', isVariant: true },
    { name: 'docs', path: '/docs' },
    { name: 'docs-document', path: '/docs/achievements', isVariant: true },
    { name: 'docs-operation', path: '/docs/reference/listContributors' },
    { name: 'docs-search', path: '/docs/search?q=achievement' },
    { name: 'sign-in', path: '/sign-in' },
    { name: 'waiting', path: '/github/a-new-name', changesItself: true },
    { name: 'not-found', path: '/no/such/page/here' },
    { name: 'wrong', path: `${person}/contributions/nothing`, isVariant: true },
    { name: 'waiting-repository', path: `${community}/absent-repository`, changesItself: true, isVariant: true },
    { name: 'settings', path: '/settings', isOwn: true },
    ...sections.map(
      (section): PageType => ({ name: `settings-${section}`, path: `${settings}/${section}`, isOwn: true }),
    ),
    { name: 'settings-refused', path: '/settings?refused=nobody-at-all', isOwn: true, isVariant: true },
    { name: 'settings-of-others', path: `/settings/github/${ada.name}`, isOwn: true, isVariant: true },
  ];
}

/** Stores the data that the pages show, and signs a person in. */
export async function preparePages({ service, simulator }: SharedService): Promise<{
  browser: Browser;
  types: PageType[];
  signedIn: Awaited<ReturnType<BrowserContext['storageState']>>;
}> {
  const awardId = await award(service, 'Shown');
  const { rows } = await service.database.pool.query<{ id: string }>(
    'select achievement_id as id from awards where id = $1',
    [awardId],
  );
  await storeBoard(service, simulator);
  await storeLanguages(service.database.connection);
  await storeProgress(service, new Date());
  await freezeBoards(service, new Date('2042-02-01'));
  const browser = await sharedBrowser();
  simulator.signIn.person = 'private_owner';
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${service.url}/sign-in`);
  await page.click('main a.button');
  await page.waitForURL('**/settings');
  // The form leads on to the sign-in of the host, which the policy permits.
  await page.fill('input[name=organization]', 'nobody-at-all');
  await page.click('section form[method=get] button');
  await page.waitForURL('**/settings?refused=nobody-at-all');
  const signedIn = await context.storageState();
  await context.close();
  assert.ok(signedIn.cookies.length > 0);
  return { browser, types: listTypes(awardId, rows[0]?.id ?? ''), signedIn };
}
