import { crc32, deflateSync } from 'node:zlib';

const size = 64;
const cells = 8;

/** Returns an avatar for an account: a few coloured squares, the same each time (PNG, 64 pixels). */
export function avatar(id: number): Buffer {
  const colour = [60 + ((id * 67) % 160), 60 + ((id * 131) % 160), 60 + ((id * 29) % 160)];
  const rows = Buffer.alloc(size * (1 + size * 3), 0xee);
  for (let y = 0; y < size; y += 1) {
    const row = y * (1 + size * 3);
    rows[row] = 0;
    for (let x = 0; x < size; x += 1) {
      const column = Math.floor(x / (size / cells));
      const mirrored = Math.min(column, cells - 1 - column);
      const bit = (id * 2_654_435_761 + Math.floor(y / (size / cells)) * 7919 + mirrored * 104_729) >>> 0;
      if (bit % 3 === 0) rows.set(colour, row + 1 + x * 3);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits per channel: red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, sum]);
}
