import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { clock, until } from '../../time.ts';
import { type ServiceResponse, startTestService } from '../service.ts';

describe('the way of a visitor', () => {
  it('leads from the search over a page that waits for the host to the items of a number and to the line for a README', async () => {
    const { now } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startTestService({ simulator, now, settings: { LOOKUP_BUDGET_MS: '200' } });
    const page = (path: string): Promise<ServiceResponse> => service.get(path, { headers: { accept: 'text/html' } });
    const linkIn = ({ text }: ServiceResponse, link: RegExp): string =>
      link.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? assert.fail(`${link.source} is not in ${text}`);

    assert.equal(linkIn(await page('/'), /<form[^>]* action="(\/find[^"]*)"/), '/find');
    const found = await page('/find?provider=github&name=@ada-lovelace');
    assert.equal(found.status, 303);
    const address = found.headers.get('location') ?? '';
    simulator.faults.add({ kind: 'slow', delayMs: 700 });
    const waiting = await page(address);
    assert.equal(waiting.status, 202);
    assert.match(waiting.text, /<h1[^>]*>[^]*ada-lovelace/);
    const profile = await until(async () => {
      const response = await page(address);
      return response.status === 200 ? response : undefined;
    }, 'the page is filled');
    assert.match(profile.text, /Ada Lovelace/);

    const items = await page(linkIn(profile, /<dd><a[^>]* href="([^"]+)"/));
    assert.equal(items.status, 200, items.text);
    const composer = await page('/cards?name=ada-lovelace');
    const line = linkIn(composer, /!\[[^\]]*\]\(([^)\s]+)\)/);
    const { pathname, search } = new URL(line, service.url);
    const svg = await service.get(`${pathname}${search}`);
    assert.match(svg.headers.get('content-type') ?? '', /^image\/svg\+xml/);
    assert.match(svg.text, /Ada Lovelace/);
  });
});
