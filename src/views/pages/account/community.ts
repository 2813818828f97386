import { MovedRepository } from '../../../http/pipeline/endpoint.ts';
import type { ReadPart } from '../../../http/pipeline/pages.ts';
import { contributorPath, endpointPath, withQuery } from '../layout/addresses.ts';
import { html, type Markup } from '../layout/html.ts';
import { defineNumber, type NumberFacts, numberLink, sharedTip } from '../layout/numbers.ts';
import { type Part, PersonPart, partReader, unlessMoved } from '../layout/parts.ts';
import type { Reader } from '../layout/reader.ts';
import { morePeopleLink, personLink, provenance, section } from './sections.ts';
import {
  mostPeople,
  nameOfWindow,
  type PageWindow,
  readPageWindow,
  renderChange,
  windowPicker,
} from './window-picker.ts';

/** The people who contributed to the repositories of an owner, or to one of them, and newcomers beside them. */

const readPeople = partReader(PersonPart);
/**
 * The numbers of people that are read. The list of the previous window is longer, because people may have ranked lower
 * then.
 */
const listLengths = { peopleBefore: 100, newcomers: 12 };

export interface Community {
  people: Part<PersonPart>;
  /** The list of the previous window of the same length; undefined when there is no such window. */
  before: Part<PersonPart> | undefined;
  /** Undefined for a window without a beginning. */
  newcomers: Part<PersonPart> | undefined;
  within: PageWindow;
  /**
   * The window of the newcomers: that of the people, or the last 30 days for the lifetime, in which everyone was new.
   */
  newcomersWithin: PageWindow;
}

/** Reads the lists of people. */
export async function loadCommunity(
  read: ReadPart,
  within: PageWindow,
  { repository, limit, now }: { repository?: string; limit: number; now: Date },
): Promise<Community | MovedRepository | undefined> {
  const newcomersWithin = within.window === undefined ? readPageWindow({ period: 'last-30d' }, now) : within;
  const { window } = newcomersWithin;
  const of = repository === undefined ? {} : { repository };
  const [people, before, newcomers] = await Promise.all([
    read('listContributors', { query: { ...of, ...within.texts }, window: within.window, limit }).then(readPeople),
    within.before &&
      read('listContributors', { query: of, window: within.before, limit: listLengths.peopleBefore }).then(readPeople),
    window !== undefined && window.since !== null
      ? read('listContributors', {
          query: { ...of, ...newcomersWithin.texts, ...newcomersOnly },
          window,
          limit: listLengths.newcomers,
        }).then(readPeople)
      : undefined,
  ]);
  if (people === undefined || people instanceof MovedRepository) return people;
  return {
    people,
    before: unlessMoved(before),
    newcomers: unlessMoved(newcomers),
    within,
    newcomersWithin,
  };
}

/** The fragment of the list of people. */
const peopleId = 'people';
const newcomersOnly = { newcomers: true, type: 'user' };

/** The place of a community on its page. */
interface CommunityScope {
  provider: string;
  owner: string;
  /** Absent: all repositories of the owner. */
  repository?: string;
  /** The path of the page, below which pages show what each number counts. */
  path: string;
}

/** Renders the people of a window, newcomers beside them, and the picker of the window. */
export function communitySection(scope: CommunityScope, community: Community, reader: Reader): Markup {
  const { people, within } = community;
  const { provider, owner, repository, path } = scope;
  const query = { ...(repository !== undefined && { repository }), ...within.texts };
  return section(
    reader.words.people,
    html`${windowPicker(path, within, reader)}
<div class="community"><div>${peopleList(scope, community, reader)}${people.next !== undefined && people.items.length < mostPeople && morePeopleLink(path, { ...within.texts, people: String(mostPeople) }, reader, peopleId)}${provenance(people, reader)}</div>${newcomersBox(scope, community, reader)}</div>`,
    html`<a class="quiet" href="${endpointPath(provider, owner, 'contributors', query)}">${reader.words.asData}</a>`,
    peopleId,
  );
}

function peopleList({ provider, path }: CommunityScope, { people, before, within }: Community, reader: Reader): Markup {
  const { items } = people;
  if (items.length === 0) return html`<p class="empty">${reader.language.words.nobodyYet}</p>`;
  const facts = toFacts('people-tip', { asOf: people.asOf, within }, reader);
  const numberBefore = numbersBefore(before);
  const most = Math.max(1, ...items.map(({ contributions }) => contributions));
  return html`<ol class="people">${items.map((person) => {
    const { name, contributions } = person;
    return html`<li>${personLink(provider, person, reader)}
<meter min="0" max="${most}" value="${contributions}"></meter><span class="count">${number({ path, within, name, contributions }, facts, reader)}${renderChange(contributions, numberBefore(person), reader)}</span></li>`;
  })}</ol>
${sharedTip(facts, reader)}`;
}

function newcomersBox({ provider, path }: CommunityScope, community: Community, reader: Reader): Markup | false {
  const { newcomers, newcomersWithin: within } = community;
  if (newcomers === undefined) return false;
  const { detail } = reader.words;
  const facts = toFacts('newcomers-tip', { asOf: newcomers.asOf, within }, reader);
  return html`<section class="newcomers"><h3>${detail.newcomers}</h3>
<p class="note">${nameOfWindow(within, reader)}: ${newcomers.items.length === 0 ? detail.noNewcomers : detail.newcomersMean}</p>
<ul class="people">${newcomers.items.map(
    (person) =>
      html`<li>${personLink(provider, person, reader)}<span class="count">${number({ path, within, ...person }, facts, reader)}</span></li>`,
  )}</ul>${newcomers.items.length > 0 && sharedTip(facts, reader)}${newcomers.missing.length > 0 && provenance(newcomers, reader)}</section>`;
}

interface Counted {
  path: string;
  within: PageWindow;
  name: string;
  contributions: number;
}

function number({ path, within, name, contributions }: Counted, facts: NumberFacts, reader: Reader): Markup {
  const address = reader.to(withQuery(contributorPath(path, name), within.texts));
  return numberLink(address, reader.language.number(contributions), facts);
}

function toFacts(
  id: string,
  { asOf, within }: { asOf: Date | undefined; within: PageWindow },
  reader: Reader,
): NumberFacts {
  return { id, means: defineNumber('contributions', reader), window: nameOfWindow(within, reader), asOf };
}

/** Returns the number of a person in the previous window; undefined where it is not known. */
type NumbersBefore = (person: PersonPart) => number | undefined;

/** Reads the numbers of people from a list of the previous window. People who are not on a complete list had none. */
function numbersBefore(part: Part<PersonPart> | undefined): NumbersBefore {
  const numbers = new Map(
    part?.items.map(({ provider, name, contributions }) => [`${provider}/${name}`, contributions]),
  );
  const absent = part === undefined || part.next !== undefined || part.missing.length > 0 ? undefined : 0;
  return ({ provider, name }) => numbers.get(`${provider}/${name}`) ?? absent;
}
