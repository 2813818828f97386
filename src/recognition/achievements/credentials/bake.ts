import { crc32 } from 'node:zlib';

/** The bytes before the chunk that is added: the signature and the chunk IHDR, which is the first and has 25 bytes. */
const pngHeadLength = 8 + 25;

/** Embeds a credential in an image (Open Badges 3.0, section "Baked Badge"). */
export function bake(image: Buffer, format: 'svg' | 'png', jwt: string): Buffer {
  return format === 'svg' ? bakeSvg(image, jwt) : bakePng(image, jwt);
}

function bakeSvg(image: Buffer, jwt: string): Buffer {
  const svg = image.toString();
  const end = svg.indexOf('>');
  return Buffer.from(
    `${svg.slice(0, end)} xmlns:openbadges="https://purl.imsglobal.org/ob/v3p0">` +
      `<openbadges:credential verify="${jwt}"></openbadges:credential>${svg.slice(end + 1)}`,
  );
}

/** Adds a chunk iTXt, not compressed (https://www.w3.org/TR/png-3/#11iTXt). */
function bakePng(image: Buffer, jwt: string): Buffer {
  const content = Buffer.from(`iTXtopenbadgecredential\0\0\0\0\0${jwt}`, 'latin1');
  const chunk = Buffer.alloc(content.length + 8);
  chunk.writeUInt32BE(content.length - 4, 0);
  content.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(content), content.length + 4);
  return Buffer.concat([image.subarray(0, pngHeadLength), chunk, image.subarray(pngHeadLength)]);
}
