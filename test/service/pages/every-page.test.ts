import { describe, it } from 'node:test';
import { sampled } from '../../depth.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { type Circumstances, examinePages } from './examine.ts';
import { preparePages } from './page-types.ts';
import { signInSettings } from './signed-in.ts';

/**
 * Every third type of pages that is no variant of another takes one of these in turn; `test/long/every-page.test.ts`
 * looks at all types, each in four circumstances.
 */
const turns: readonly [Circumstances, ...Circumstances[]] = [
  { scheme: 'light', width: 320, lang: 'ar' },
  { scheme: 'dark', width: 320, lang: 'de' },
  { scheme: 'dark', width: 1280, lang: 'he' },
  { scheme: 'light', width: 320, lang: 'ru' },
  { scheme: 'light', width: 1280, lang: 'en' },
];

describe('rendering of every type of page in a browser', () => {
  const shared = shareStoredService({ service: { settings: signInSettings } });

  it('is accessible, fits a narrow screen, shows the focus, and breaks no policy, in both directions of writing', async () => {
    const { browser, types, signedIn } = await preparePages(shared);
    const { url } = shared.service;
    const ownParts = types.filter(({ isVariant }) => isVariant !== true);
    const pages = sampled(ownParts, 3).map((type, index) => ({
      type,
      circumstances: turns[index % turns.length] ?? turns[0],
    }));
    const own = pages.filter(({ type }) => type.isOwn);
    await examinePages(
      browser,
      url,
      pages.filter((candidate) => !own.includes(candidate)),
    );
    await examinePages(browser, url, own, signedIn);
  });
});
