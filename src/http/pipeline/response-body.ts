/**
 * The body of a response. A short one is a `latin1` string, which holds one byte in each character: `node:http` sends
 * it in one write with the headers, and a Buffer in two.
 */
export type ResponseBody = Buffer | string;

/** The most bytes of a body that is a string. To copy a longer one takes more time than a second write. */
const maxTextBytes = 4096;

/** Returns bytes as a body that is sent in the least time. */
export function toBody(bytes: Buffer): ResponseBody {
  return bytes.length <= maxTextBytes ? bytes.toString('latin1') : bytes;
}

/** Returns the bytes of a body. */
export function toBytes(body: ResponseBody): Buffer {
  return typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
}
