import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../src/model/errors.ts';
import { Rasterizer } from '../../../src/views/cards/drawing/rasterizer.ts';

const drawing = { svg: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="6"/>', widthPx: 9, heightPx: 6 };
/** Two are drawn at once, and 64 wait. */
const most = 66;

/** Returns the width of a PNG, in pixels: the first number of its header (IHDR). */
const toWidth = (png: Buffer): number => png.readUInt32BE(16);

describe('Rasterizer', () => {
  it('refuses a drawing while too many wait, and draws again afterwards', async () => {
    const rasterizer = new Rasterizer(() => new Date(0), 2);
    const accepted = Array.from({ length: most }, () => rasterizer.toPng(drawing, 1));
    await assert.rejects(rasterizer.toPng(drawing, 1), (error) => {
      assert.ok(error instanceof AppError);
      assert.deepEqual([error.code, error.retryAt], ['rate_limited', new Date(5000)]);
      return true;
    });
    const images = [...(await Promise.all(accepted)), await rasterizer.toPng(drawing, 2)];
    assert.deepEqual(images.map(toWidth), [...Array.from({ length: most }, () => 9), 18]);
  });

  it('draws on after a drawing that is not readable', async () => {
    const rasterizer = new Rasterizer(() => new Date(0));
    const broken = Array.from({ length: 3 }, () => rasterizer.toPng({ ...drawing, svg: 'nothing' }, 1));
    assert.deepEqual(
      (await Promise.allSettled(broken)).map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
    assert.equal(toWidth(await rasterizer.toPng(drawing, 1)), 9);
  });
});
