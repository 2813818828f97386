import { describe, it } from 'node:test';
import { shareStoredService } from '../service/http/stored-service.ts';
import { type Circumstances, compareWithoutScripts, examinePages } from '../service/pages/examine.ts';
import { preparePages } from '../service/pages/page-types.ts';
import { signInSettings } from '../service/pages/signed-in.ts';

const circumstances: readonly Circumstances[] = [
  { scheme: 'light', width: 320, lang: 'ar' },
  { scheme: 'dark', width: 320, lang: 'en' },
  { scheme: 'light', width: 1280, lang: 'en' },
  { scheme: 'dark', width: 1280, lang: 'ar' },
];

/** The types of pages to look at, as a regular expression of their names, because all of them take some minutes. */
const pageNames = new RegExp(process.env['PAGES'] ?? '');

describe('rendering of every type of page in a browser', () => {
  const shared = shareStoredService({ service: { settings: signInSettings } });

  it('is accessible on light and dark, narrow and wide screens, in both directions, and the same without JavaScript', async () => {
    const { browser, types, signedIn } = await preparePages(shared);
    const { url } = shared.service;
    for (const isOwn of [undefined, true] as const) {
      const own = types.filter((type) => type.isOwn === isOwn && pageNames.test(type.name));
      const state = isOwn && signedIn;
      const pages = own.flatMap((type) => circumstances.map((situation) => ({ type, circumstances: situation })));
      await examinePages(browser, url, pages, state);
      await compareWithoutScripts(
        browser,
        url,
        own.filter(({ changesItself }) => changesItself !== true),
        state,
      );
    }
  });
});
