import { type Static, Type } from 'typebox';
import { findInstallationsByAccount } from '../../../../accounts/installations/store.ts';
import { ProgressSchema } from '../../../../http/pipeline/envelope.ts';
import { fill, timeText } from '../../../languages/language.ts';
import { html } from '../../layout/html.ts';
import { waitText } from '../../progress/page.ts';
import { countProgress } from '../../progress/store.ts';
import { list, readItem, type Section, type SettingsContext } from '../section.ts';

const Failure = Type.Object({ message: Type.String(), since_dttm: Type.Union([Type.Null(), Type.String()]) });
const Status = Type.Object({
  as_of: Type.Union([Type.Null(), Type.String()]),
  repositories: Type.Object({
    count: Type.Integer(),
    installed: Type.Integer(),
    complete: Type.Integer(),
    progress: Type.Union([Type.Null(), ProgressSchema]),
  }),
  streams: Type.Object({
    items: Type.Array(
      Type.Object({
        repository_name: Type.String(),
        name: Type.String(),
        failure: Type.Union([Type.Null(), Failure]),
      }),
    ),
  }),
  skipped_items: Type.Object({ count: Type.Integer() }),
  deliveries: Type.Object({ pending: Type.Integer(), failed: Type.Integer() }),
  administrators: Type.Object({ message: Type.Union([Type.Null(), Type.String()]) }),
});

/** The state of an account's data, and what the service may see. */
export const overview: Section = {
  slug: 'overview',
  title: (words) => words.overview,
  show: async (context) => {
    const { reader, target, services } = context;
    const { words, language } = reader;
    const { owner } = words;
    const status = readItem(Status, await context.call('getStatus'));
    const { account } = target;
    const installations = await findInstallationsByAccount(services.connection, account);
    const { repositories, skipped_items: skipped, deliveries } = status;
    const { number } = language;
    const waiting = await findWaitText(context, repositories.progress);
    return html`<h2>${owner.overview}</h2>
<ul class="plain"><li>${fill(language.words.completeRepositories, { n: number(repositories.complete), total: number(repositories.count) })}</li>
${status.as_of !== null && html`<li>${fill(language.words.asOf, { date: language.date(new Date(status.as_of)) })}</li>`}
<li>${fill(owner.deliveries, { waiting: number(deliveries.pending), failed: number(deliveries.failed) })}</li>
${skipped.count > 0 && html`<li>${fill(owner.skipped, { n: number(skipped.count) })}</li>`}</ul>
${waiting !== undefined && html`<p class="note" role="status">${waiting}</p>`}
${status.administrators.message !== null && html`<p class="warning" lang="en" dir="ltr">${status.administrators.message}</p>`}
${failing(context, status.streams.items)}
<h2>${owner.installations}</h2>
${
  installations.length === 0
    ? html`<p class="empty">${owner.noInstallations}</p>`
    : list(
        installations.map(
          ({
            covers,
            suspendedAt,
            missingPermissions,
          }) => html`<strong>${covers === 'all' ? owner.allRepositories : owner.selectedRepositories}</strong>
<span class="chip">${suspendedAt !== null ? owner.states.suspended : owner.states.active}</span>
${missingPermissions.length > 0 && html`<small><code>${missingPermissions.join(', ')}</code></small>`}`,
        ),
        reader,
      )
}`;
  },
  actions: {},
};

/** Returns the reason for which nothing of the account is being read just now, as its page shows it. */
async function findWaitText(
  { reader, target: { account }, services: { connection, now } }: SettingsContext,
  progress: Static<typeof ProgressSchema> | null,
): Promise<string | undefined> {
  if (progress === null) return undefined;
  const { reason, resumes_dttm: resumes } = progress;
  const wait = { reason, resumesAt: resumes === undefined ? undefined : new Date(resumes) };
  const { failingSince } = await countProgress(connection, account, { now: now(), reportsTotals: false });
  return waitText(account.provider, { wait, failingSince }, reader);
}

function failing({ reader, target }: SettingsContext, streams: Static<typeof Status>['streams']['items']) {
  const { words, language } = reader;
  const since = (time: string): string =>
    fill(words.notResponding, { host: target.account.provider, time: timeText(new Date(time), language.locale) });
  const failed = streams.filter(({ failure }) => failure !== null);
  return (
    failed.length > 0 &&
    html`<h2>${words.owner.failing}</h2>${list(
      failed.map(
        ({ repository_name: repository, name, failure }) =>
          html`<strong>${repository}</strong> <code>${name}</code><small lang="en" dir="ltr">${failure?.message}</small>${
            typeof failure?.since_dttm === 'string' && html` <small data-since>${since(failure.since_dttm)}</small>`
          }`,
      ),
      reader,
    )}`
  );
}
