import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { docsPath, filesElsewhere, toFile, toSlug } from './contents.ts';
import { type RenderedDocument, renderMarkdown } from './markdown.ts';

const top = fileURLToPath(new URL('../../../../', import.meta.url));
const types: Record<string, string> = {
  svg: 'image/svg+xml; charset=utf-8',
  png: 'image/png',
  json: 'application/schema+json; charset=utf-8',
};

/** A file that documents show or name. */
interface Attachment {
  contentType: string;
  body: Buffer;
}

/** The documents of this release. They are read and rendered when they are first requested, and stay in memory. */
export class Library {
  #listed: ReadonlySet<string> | undefined;
  readonly #rendered = new Map<string, RenderedDocument>();

  /** The files, listed when they are first needed, because that takes a tenth of a start. */
  get #files(): ReadonlySet<string> {
    const names = `docs/**/*.{md,${Object.keys(types).join(',')}}`;
    this.#listed ??= new Set([...globSync(names, { cwd: top }), ...filesElsewhere]);
    return this.#listed;
  }

  /** The paths below `/docs` of all documents, sorted. */
  get slugs(): string[] {
    return [...this.#files].flatMap((file) => toSlug(file) ?? []).toSorted();
  }

  /** Returns the document with a path below `/docs`. */
  find(slug: string): RenderedDocument | undefined {
    const file = [toFile(slug), `docs/${slug}/README.md`].find((path) => this.#files.has(path));
    // Other spellings of a path, as of a README, have no page.
    if (file === undefined || toSlug(file) !== slug) return undefined;
    const cached = this.#rendered.get(slug);
    if (cached !== undefined) return cached;
    const text = readFileSync(`${top}${file}`, 'utf8');
    const rendered = renderMarkdown(text, file, (path) => this.#files.has(path));
    this.#rendered.set(slug, rendered);
    return rendered;
  }

  /** Returns a file of the folder `docs` that is no document. */
  findAttachment(name: string): Attachment | undefined {
    const file = `docs/${name}`;
    const contentType = types[name.split('.').at(-1) ?? ''];
    if (contentType === undefined || !this.#files.has(file)) return undefined;
    return { contentType, body: readFileSync(`${top}${file}`) };
  }
}

/** Returns the path of a document. */
export function documentPath(slug: string): string {
  return slug === '' ? docsPath : `${docsPath}/${slug}`;
}
