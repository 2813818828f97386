import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';

/**
 * The body of a response. A short one is a `latin1` string, which holds one byte in each character: `node:http` sends
 * it in one write with the headers, and a Buffer in two.
 */
type ResponseBody = Buffer | string;

/** The most bytes of a body that is a string. To copy a longer one takes more time than a second write. */
const maxTextBytes = 4096;

/** The bytes of a response in one content coding (RFC 9110, section 8.8.3.3: each has a tag of its own). */
export interface Representation {
  body: ResponseBody;
  etag: string;
  /** All headers except those that differ each time the response is sent. */
  headers: Record<string, string>;
}

/** A representation, and its compressed ones; `compressed` is absent where compression is not worth it. */
export interface Representations extends Representation {
  compressed?: CompressedForms;
}

type Coding = 'br' | 'gzip';

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);
/** Higher quality costs more time. A page gets less, because it exists in 20 languages and each is sent less often. */
const brotliQuality = { others: 7, pages: 4 };
/** Smaller bodies fit in one packet with their headers, compressed or not. */
const minCompressedBytes = 1024;
/** PNG is compressed already. */
const compressible = /^(application\/(json|atom\+xml)|image\/svg\+xml|text\/(csv|html|css))/;

/**
 * The compressed representations of a response. Each is made when a client first accepts its coding, and kept, so that
 * a coding that no client accepts costs nothing.
 */
class CompressedForms {
  readonly #plain: Representation;
  readonly #made = new Map<Coding, Representation>();
  readonly #pending = new Map<Coding, Promise<Representation>>();

  constructor(plain: Representation) {
    this.#plain = plain;
  }

  /** The bytes of the representations that have been made. */
  get bytes(): number {
    return [...this.#made.values()].reduce((sum, { body }) => sum + body.length, 0);
  }

  /**
   * Called after a representation was made. The response cache sets it, because the response takes more memory then.
   */
  onMade: () => void = () => {};

  get(coding: Coding): Representation | Promise<Representation> {
    return this.#made.get(coding) ?? this.#pending.get(coding) ?? this.#start(coding);
  }

  #start(coding: Coding): Promise<Representation> {
    const pending = this.#make(coding).finally(() => this.#pending.delete(coding));
    this.#pending.set(coding, pending);
    return pending;
  }

  async #make(coding: Coding): Promise<Representation> {
    const { etag, headers, body } = this.#plain;
    const bytes = await compress(coding, toBytes(body), headers['content-type']);
    const tag = `${etag.slice(0, -1)}-${coding}"`;
    const compressed = {
      body: toBody(bytes),
      etag: tag,
      headers: { ...headers, etag: tag, 'content-length': String(bytes.length), 'content-encoding': coding },
    };
    this.#made.set(coding, compressed);
    this.onMade();
    return compressed;
  }
}

/** Compresses away from the event loop. */
function compress(coding: Coding, body: Buffer, type: string | undefined): Promise<Buffer> {
  if (coding === 'gzip') return toGzip(body, { level: 9 });
  const quality = type?.startsWith('text/html') === true ? brotliQuality.pages : brotliQuality.others;
  return toBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
}

/**
 * Adds the compressed representations to a response that is worth it. The length of a compressed body shows how much of
 * it repeats, so that an attacker whose text is next to a secret, and who makes the victim repeat the request, could
 * guess the secret (BREACH). Bodies with credentials, which only owners' endpoints send, are therefore never
 * compressed. All other bodies are, even those with private data: no browser adds a token to the request of another
 * page, so that no attacker can make owners repeat it (docs/decisions/0010-responses-kept-as-bytes.md).
 */
export function withCompressedForms<Rendered extends Representations>(response: Rendered): Rendered {
  const { body, headers } = response;
  if (body.length <= minCompressedBytes || !compressible.test(headers['content-type'] ?? '')) return response;
  const vary = [...(headers['vary'] === undefined ? [] : [headers['vary']]), 'accept-encoding'].join(', ');
  const varied = { ...response, headers: { ...headers, vary } };
  return { ...varied, compressed: new CompressedForms(varied) };
}

/**
 * Returns the representation for a client that accepts these codings (`Accept-Encoding`, RFC 9110, section 12.5.3). The
 * result is a promise only while the representation is being made.
 */
export function representationFor(
  response: Representations,
  acceptEncoding: string | undefined,
): Representation | Promise<Representation> {
  const { compressed } = response;
  if (compressed === undefined || acceptEncoding === undefined) return response;
  // `*` selects no coding, because some clients that send it cannot read Brotli.
  const named = new Negotiator({ headers: { 'accept-encoding': acceptEncoding.toLowerCase() } }).encodings();
  return named.includes('br') ? compressed.get('br') : named.includes('gzip') ? compressed.get('gzip') : response;
}

/** Returns bytes as a body that is sent in the least time. */
export function toBody(bytes: Buffer): ResponseBody {
  return bytes.length <= maxTextBytes ? bytes.toString('latin1') : bytes;
}

/** Returns the bytes of a body. */
export function toBytes(body: ResponseBody): Buffer {
  return typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
}
