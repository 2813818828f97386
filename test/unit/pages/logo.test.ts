import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { readLogo } from '../../../src/views/pages/layout/logo.ts';

describe('reading of the logo of a site', () => {
  it('encodes it again in a small size, without anything else that its file holds', async () => {
    await using directory = await makeTemporaryDirectory();
    const file = join(directory.path, 'logo.bin');
    const image = sharp({ create: { width: 800, height: 400, channels: 4, background: '#0969da' } });
    const text = 'made by no program';
    await writeFile(file, Buffer.concat([await image.png().toBuffer(), Buffer.from(text)]));
    const logo = await readLogo(file);
    assert.deepEqual([logo.width, logo.height], [64, 32]);
    assert.match(logo.path, /^\/pages\/logo-[0-9a-f]{12}\.png$/);
    const { format, width, height } = await sharp(logo.body).metadata();
    assert.deepEqual([format, width, height], ['png', 192, 96]);
    assert.ok(!logo.body.includes(text));
  });

  it('refuses a file with the reason where it is no image, too large or absent', async () => {
    await using directory = await makeTemporaryDirectory();
    const file = join(directory.path, 'logo.svg');
    for (const [content, reason] of [
      ['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', /SITE_LOGO: .* it is not PNG/],
      [Buffer.alloc(600_000), /SITE_LOGO: .* it has 600000 bytes/],
      [Buffer.from('\x89PNG\r\n\x1a\n damaged', 'latin1'), /SITE_LOGO: /],
    ] as const) {
      await writeFile(file, content);
      await assert.rejects(readLogo(file), { code: 'misconfigured', message: reason });
    }
    await assert.rejects(readLogo(join(directory.path, 'absent.png')), { message: /SITE_LOGO: .*ENOENT/ });
  });
});
