import { Type } from 'typebox';
import { AccountPath, MovedRepository } from '../../http/endpoint.ts';
import type { Page } from '../../http/pages.ts';
import { accountPath, awardPath, endpointPath, previewPath } from '../addresses.ts';
import { html } from '../html.ts';
import { renderDocument, type Site } from '../layout.ts';
import { AwardPart, type Part, partReader } from '../parts.ts';
import { pendingPage } from '../progress/page.ts';
import { type Reader, readerOf } from '../reader.ts';

const AwardPath = Type.Object({
  ...AccountPath.properties,
  award_id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', maxLength: 36 }),
});
const readAward = partReader(AwardPart);

/** The page of an award: the human form of its credential, with its image. */
export function awardPage(site: Site, provider: string): Page<typeof AwardPath, Part<AwardPart>> {
  return {
    path: `/${provider}/:name/achievements/:award_id`,
    params: AwardPath,
    load: async (read, { params: { award_id: id } }) => {
      const part = readAward(await read('getAward', { params: { award_id: id } }));
      return part instanceof MovedRepository ? undefined : part;
    },
    render: (data, { account }, language) => ({
      html: render(site, readerOf(language), account, data),
      isComplete: true,
      staleAt: data.staleAt,
    }),
    renderPending: ({ provider, name }, language) =>
      pendingPage(site, readerOf(language), { provider, name, title: name }),
  };
}

function render(
  site: Site,
  { words, language, to, ...reader }: Reader,
  account: { provider: string; name: string; displayName: string },
  { items: [award] }: Part<AwardPart>,
): string {
  if (award === undefined) throw new Error('the response has no award');
  const { provider, name, displayName } = account;
  const endpoint = `achievements/${award.id}`;
  const person = displayName || name;
  return renderDocument(
    site,
    { words, language, to, ...reader },
    {
      title: `${award.name} · ${person}`,
      description: award.description,
      path: awardPath(provider, name, award.id),
      previewPath: previewPath(provider, name, endpoint),
      isAboutAccount: true,
      facts: {
        '@type': 'CreativeWork',
        name: award.name,
        description: award.description,
        dateCreated: award.awarded_dttm,
      },
      main: html`<section class="award"><img src="${endpointPath(provider, name, endpoint, { format: 'svg', raw: 'true' })}" alt="" width="128" height="128">
<div><p class="handle"><a href="${to(accountPath(provider, name))}">${person}</a> · ${language.words.achievementsTitle}</p>
<h1>${award.name}</h1><p class="bio" dir="auto">${award.description}</p>
<p class="facts">${award.repository_name !== '' && html`<bdi>${award.repository_name}</bdi>`}<time datetime="${award.awarded_dttm}">${language.date(new Date(award.awarded_dttm))}</time></p>
<p class="actions"><a class="button" href="${endpointPath(provider, name, `${endpoint}/credential`)}">${words.detail.credential}</a>
<a class="quiet" href="${endpointPath(provider, name, endpoint)}">${words.asData}</a></p></div></section>`,
    },
  );
}
