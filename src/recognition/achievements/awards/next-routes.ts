import { type Static, Type } from 'typebox';
import type { RouteServices } from '../../../accounts/resolve.ts';
import { EvidenceFormat, type LoadedEvidence, readCursor } from '../../../contributions/evidence/evidence.ts';
import { evidenceListing, ProgressEvidenceItem, presentEvidence } from '../../../contributions/evidence/present.ts';
import { AccountPath, type RequestContext } from '../../../http/pipeline/endpoint.ts';
import { cutPage, PageParameters } from '../../../http/pipeline/pagination.ts';
import { addEndpoint } from '../../../http/pipeline/pipeline.ts';
import type { App } from '../../../http/server/app.ts';
import { AppError } from '../../../model/errors.ts';
import { toListKey } from '../../../model/windows/cursors.ts';
import { findProgressItems } from '../../rules/evaluation/progress-store.ts';
import type { AchievementFiles } from '../files/achievement-files.ts';
import { findNext, type NextAchievement } from './next-store.ts';

const Query = Type.Object({ ...PageParameters.properties, format: EvidenceFormat });

/** The achievement whose progress is listed. */
const Progress = Type.Object(
  {
    name: Type.String({ examples: ['Fifty reviews'] }),
    repository: Type.String({ description: 'Owner and name.', examples: ['octocat/hello-world'] }),
    condition: Type.String({ description: 'As the file has it.', examples: ['count() >= 50'] }),
    present: Type.Integer({ description: 'The number so far, which is `total`.', examples: [37] }),
    wanted: Type.Integer({ description: 'The number from which it is earned.', examples: [50] }),
  },
  { title: 'Progress' },
);

type Context = RequestContext<unknown, Static<typeof Query>>;

/** The services of routes about awards. */
export interface AwardServices extends RouteServices {
  achievementFiles: AchievementFiles;
}

/** Registers the items behind the progress to the next award. */
export function nextRoutes(app: App, services: AwardServices): void {
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name/achievements/next',
    operationId: 'listNextEvidence',
    tag: 'Achievements',
    summary: 'What counts towards the achievement that an account is closest to, newest first',
    description:
      'The achievement is the one on the card. `meta_data.total` is the number so far; each item adds its `amount`. 404 while the account has begun none.',
    readers: 'public',
    params: AccountPath,
    query: Query,
    listing: evidenceListing,
    dataType: 'unknown',
    item: ProgressEvidenceItem,
    details: { title: 'ProgressMetadata', properties: { progress: Progress } },
    hasCsv: true,
    load: (context) => load(services, context),
    present: ({ next, ...loaded }, context) => {
      const result = presentEvidence(services, loaded, context, context.query.format, ProgressEvidenceItem);
      Object.assign(result.envelope.meta_data, { progress: toProgress(next) });
      return result;
    },
  });
}

function toProgress({ name, iconSource, goal, present, wanted }: NextAchievement): Static<typeof Progress> {
  const repository = `${iconSource.owner}/${iconSource.name}`;
  return { name, repository, condition: goal.trigger.text, present, wanted };
}

async function load(
  { connection, now, achievementFiles }: AwardServices,
  { account, page: { limit, start } }: Context,
): Promise<LoadedEvidence & { next: NextAchievement }> {
  const next = account.type === 'user' ? await findNext(connection, account.id, achievementFiles) : undefined;
  if (next === undefined) {
    throw new AppError('not_found', 'This account has begun no achievement that it can still earn.');
  }
  const { repositoryId, name, present } = next;
  const key = toListKey([account.id, repositoryId, name]);
  const { place } = readCursor(start, key, { since: null, until: null });
  const { items, itemised } = await findProgressItems(connection, { repositoryId, accountId: account.id }, next, {
    limit: limit + 1,
    after: start.after === undefined ? undefined : place,
    before: start.before === undefined ? undefined : place,
  });
  const rest = present - itemised;
  return {
    ...cutPage(items, limit, start),
    next,
    evidence: { total: present, itemised, remainder: rest === 0 ? {} : { 'earned-once': rest } },
    listKey: [key, '', ''],
    window: undefined,
    asOf: account.fetchedAt ?? now(),
    missing: [],
    includesPrivate: false,
  };
}
