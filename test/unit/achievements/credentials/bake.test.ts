import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { bake } from '../../../../src/recognition/achievements/credentials/routes.ts';
import { credentialInPng, credentialInSvg } from '../../../integration/achievements/credentials/unbake.ts';

const jwt = `${'header-_09'.repeat(20)}.${'payload'.repeat(300)}.signature`;

describe('baking', () => {
  it('embeds a credential in a PNG, whose pixels stay the same', async () => {
    const image = await sharp({ create: { width: 30, height: 20, channels: 4, background: '#3388ccaa' } })
      .png()
      .toBuffer();
    const baked = bake(image, 'png', jwt);
    assert.equal(await credentialInPng(baked), jwt);
    assert.deepEqual(await sharp(baked).raw().toBuffer(), await sharp(image).raw().toBuffer());
  });

  it('embeds a credential in an SVG, directly after its first tag', () => {
    const image = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" role="img"><title>A > B</title></svg>\n';
    const baked = bake(Buffer.from(image), 'svg', jwt).toString();
    assert.equal(credentialInSvg(baked), jwt);
    assert.match(baked, /^<svg [^>]*><openbadges:credential verify="[^"]*"><\/openbadges:credential><title>A > B</);
  });
});
