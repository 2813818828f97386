import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bearer, fromOwnAddress, jsonRequest, keeper, serviceToken } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { signIn, signInSettings } from './signed-in.ts';

const path = `/github/${keeper.name}`;

describe('private numbers that their owner publishes', () => {
  const shared = shareStoredService({ service: { settings: { ...signInSettings, TRUST_PROXY: 'loopback' } } });
  const open = async (address: string): Promise<string> => {
    const { text, status } = await shared.service.get(address, { headers: { accept: 'text/html' } });
    assert.equal(status, 200, text);
    return text;
  };
  const publish = async (isPublished: boolean): Promise<void> => {
    const token = await serviceToken(shared.service, shared.simulator, keeper);
    const settings = { publish_private_contributions: isPublished };
    const { status, text } = await shared.service.get(
      `${keeper.name}/settings`,
      fromOwnAddress(jsonRequest('PUT', token, settings)),
    );
    assert.equal(status, 200, text);
  };
  const findCounters = async (query = '', init?: RequestInit): Promise<Record<string, number>> => {
    const { body } = await shared.service.get(`${keeper.name}/contributions${query}`, init);
    return (body.data[0]?.['contributions'] as Record<string, number> | undefined) ?? assert.fail();
  };
  /** Returns the counters of a page by their names, and the addresses of their items. */
  const readCounters = (text: string): Map<string, { address: string; number: number }> =>
    new Map(
      [...text.matchAll(/<a href="([^"]*\/contributions\/(\w+)[^"]*)" class="number"[^>]*>([\d,]+)</g)].map(
        ([, address = '', name = '', number = '']) => [
          name,
          { address: address.replaceAll('&amp;', '&'), number: Number(number.replaceAll(',', '')) },
        ],
      ),
    );

  it('are on the page whose address has the parameter while they are published, with calendar and items, and on no other', async () => {
    const token = await serviceToken(shared.service, shared.simulator, keeper);
    const all = await findCounters('?private=true', bearer(token));
    const some = await findCounters();
    assert.ok(Number(all['issues']) > Number(some['issues']), 'the account has private issues');
    const before = await open(path);
    assert.equal(readCounters(before).get('issues')?.number, some['issues']);
    assert.ok(!before.includes('private=true'));
    assert.equal(await open(`${path}?private=true`), before);
    await publish(true);
    const published = await open(`${path}?private=true`);
    const counters = readCounters(published);
    for (const [name, { number }] of counters) assert.equal(number, all[name], name);
    assert.match(published, /Public and private contributions · /);
    assert.match(published, /src="[^"]*card=calendar[^"]*private=true/);
    const { address } = counters.get('issues') ?? assert.fail();
    const items = await open(address);
    assert.equal(Number(/<span class="total">([\d,]+)</.exec(items)?.[1]?.replaceAll(',', '')), all['issues']);
    assert.match(items, /In private repositories: \d/);
    assert.match(items, /href="[^"]*private=true&amp;period=this-year"|href="[^"]*period=this-year&amp;private=true"/);
    const usual = await open(path);
    assert.equal(readCounters(usual).get('issues')?.number, some['issues']);
    assert.match(usual, new RegExp(`<a href="${path}\\?private=true">Public and private contributions</a>`));
    await publish(false);
    assert.equal(await open(`${path}?private=true`), await open(path));
  });

  it('are linked from the settings once they are published', async () => {
    const visitor = await signIn(shared.service, shared.simulator, 'private_owner');
    const privacy = async (): Promise<string> => (await visitor.get(`/settings${path}/privacy`)).text;
    assert.ok(!(await privacy()).includes(`href="${path}?private=true"`));
    await publish(true);
    assert.match(await privacy(), new RegExp(`<a href="${path}\\?private=true">Public and private contributions</a>`));
    await publish(false);
  });
});
