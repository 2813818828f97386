import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findCard } from '../../../src/views/cards/index.ts';
import { readCardOptions } from '../../../src/views/cards/options.ts';
import { createSample, drawAvatar, findParameters, galleryCards } from '../../../src/views/pages/gallery/samples.ts';
import { readSvg } from '../cards/read-svg.ts';

const today = new Date('2026-11-23T12:00:00Z');

describe('samples of the gallery', () => {
  it('show people by drawn avatars, each another one, without an address to fetch', () => {
    for (const name of galleryCards) {
      const { card: ofCard, parameters } = findParameters(name);
      const card = findCard(ofCard);
      const input = createSample(name, today);
      const readable = card.read(input, readCardOptions(parameters, card.parts));
      assert.ok(readable, name);
      const images = input.images ?? new Map<string, string>();
      assert.ok(
        readable.images.every((address) => address === '' || images.has(address)),
        name,
      );
      readSvg(readable.draw(images).svg);
    }
    assert.equal(new Set(Array.from({ length: 12 }, (_, index) => drawAvatar(index))).size, 12);
  });
});
