import { Type } from 'typebox';
import type { Connection } from '../../../database/connections/connection.ts';
import { AccountPath } from '../../../http/pipeline/endpoint.ts';
import type { Page } from '../../../http/pipeline/pages.ts';
import type { Account } from '../../../model/account.ts';
import {
  type AwardedAchievement,
  findAwardedAchievement,
} from '../../../recognition/achievements/awards/holders-store.ts';
import { heldBy, holdersFacts, medal } from '../account/sections.ts';
import { accountPath, awardPath, endpointPath, holdersPath, previewPath, repositoryPath } from '../layout/addresses.ts';
import { html, type Markup } from '../layout/html.ts';
import { renderDocument, type Site } from '../layout/layout.ts';
import { numberLink, tip } from '../layout/numbers.ts';
import { AwardPart, type Part, partReader, unlessMoved } from '../layout/parts.ts';
import { type Reader, toReader } from '../layout/reader.ts';
import { tipsPath } from '../layout/style.ts';
import { pendingPage } from '../progress/page.ts';

const AwardPath = Type.Object({
  ...AccountPath.properties,
  award_id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', maxLength: 36 }),
});
const readAward = partReader(AwardPart);

interface Data {
  award: Part<AwardPart>;
  /** Undefined where the achievement is not public or not defined any more. */
  achievement: AwardedAchievement | undefined;
}

interface Services {
  site: Site;
  connection: Connection;
}

/** Returns the page of an award: the human form of its credential, with its image. */
export function awardPage({ site, connection }: Services, provider: string): Page<typeof AwardPath, Data> {
  return {
    path: `/${provider}/:name/achievements/:award_id`,
    params: AwardPath,
    load: async (read, { account, params: { award_id: id } }) => {
      const [part, achievement] = await Promise.all([
        read('getAward', { params: { award_id: id } }).then(readAward),
        findAwardedAchievement(connection, { accountId: account.id, awardId: id }),
      ]);
      const award = unlessMoved(part);
      return award && { award, achievement };
    },
    render: (data, { account }, language) => ({
      html: render(site, toReader(language), account, data),
      isComplete: true,
      staleAt: data.award.staleAt,
    }),
    renderPending: ({ provider, name }, language, wait) =>
      pendingPage(site, toReader(language), { provider, name, title: name, wait }),
  };
}

function render(
  site: Site,
  reader: Reader,
  { provider, name, displayName }: Pick<Account, 'provider' | 'name' | 'displayName'>,
  {
    award: {
      items: [award],
    },
    achievement,
  }: Data,
): string {
  if (award === undefined) throw new Error('the response has no award');
  const { words, language, to } = reader;
  const endpoint = `achievements/${award.id}`;
  const person = displayName || name;
  return renderDocument(site, reader, {
    title: `${award.name} · ${person}`,
    description: award.description,
    path: awardPath(provider, name, award.id),
    previewPath: previewPath(provider, name, endpoint),
    isAboutAccount: true,
    scripts: achievement === undefined ? [] : [tipsPath],
    facts: {
      '@type': 'CreativeWork',
      name: award.name,
      description: award.description,
      dateCreated: award.awarded_dttm,
    },
    main: html`<section class="award">${medal({ provider, name, awardId: award.id }, { holders: achievement?.holders, sizePx: 128 })}
<div><p class="handle"><a href="${to(accountPath(provider, name))}">${person}</a> · ${language.words.achievementsTitle}</p>
<h1>${award.name}</h1><p class="bio" dir="auto">${award.description}</p>
<p class="facts">${achievement === undefined ? award.repository_name !== '' && html`<bdi>${award.repository_name}</bdi>` : origin(achievement, reader)}<time datetime="${award.awarded_dttm}">${language.date(new Date(award.awarded_dttm))}</time></p>
<p class="actions"><a class="button" href="${endpointPath(provider, name, `${endpoint}/credential`)}">${words.detail.credential}</a>
<a class="quiet" href="${endpointPath(provider, name, endpoint)}">${words.asData}</a></p></div></section>`,
  });
}

/** Renders links to the repository of an achievement and to the people who hold it. */
function origin({ provider, owner, repository, id, holders, asOf }: AwardedAchievement, reader: Reader): Markup {
  const { to } = reader;
  const facts = holdersFacts(asOf, reader);
  return html`<a href="${to(repositoryPath(provider, owner, repository))}"><bdi>${owner}/${repository}</bdi></a><span class="tipped">${numberLink(to(holdersPath(provider, owner, repository, id)), heldBy(holders, reader), facts)}${tip(facts, reader)}</span>`;
}
