/** The documents that the service shows below `/docs`, and their order. */

/** The path of the documents. */
export const docsPath = '/docs';

/** A group of the navigation: its heading, and paths below `/docs` with their names. */
export interface Group {
  heading: string;
  entries: readonly (readonly [slug: string, name: string])[];
}

/** The navigation. Documents for developers of the service are found by links and by the search. */
export const navigation: readonly Group[] = [
  {
    heading: 'Guide',
    entries: [
      ['start', 'Get started'],
      ['cards', 'Cards'],
      ['windows', 'Windows and evidence'],
      ['achievements', 'Achievements'],
      ['boards', 'Boards'],
      ['private-data', 'Private data'],
      ['keeping-current', 'Keep data current'],
      ['moving', 'Moving from Vaunt'],
      ['action', 'Action'],
    ],
  },
  {
    heading: 'API',
    entries: [
      ['using-the-api', 'Use the API'],
      ['reference', 'Reference'],
      ['client', 'Typed client'],
    ],
  },
  {
    heading: 'Operation',
    entries: [
      ['operations', 'Operate Plaudit'],
      ['metrics', 'Metrics'],
      ['scaling', 'Scale Plaudit'],
      ['settings', 'Settings'],
      ['commands', 'Commands'],
      ['providers/github', 'GitHub'],
      ['providers/gitlab', 'GitLab'],
      ['providers/gitea', 'Gitea and Forgejo'],
      ['doctor', 'Doctor'],
      ['runbook', 'Runbook'],
      ['threat-model', 'Threat model'],
    ],
  },
  {
    heading: 'Development',
    entries: [
      ['contributing', 'Contributing'],
      ['architecture', 'Architecture'],
      ['design', 'Design'],
      ['glossary', 'Glossary'],
      ['decisions', 'Decisions'],
      ['changelog', 'Changelog'],
    ],
  },
];

/** The documents for readers, communities and operators, which the search finds before those for developers. */
export const guides: ReadonlySet<string> = new Set(
  navigation.flatMap(({ heading, entries }) => (heading === 'Development' ? [] : entries.map(([slug]) => slug))),
);

/** Documents outside of the folder `docs`: their paths below `/docs`, and their files. */
const elsewhere: readonly (readonly [slug: string, file: string])[] = [
  ['client', 'client/README.md'],
  ['architecture', 'ARCHITECTURE.md'],
  ['contributing', 'CONTRIBUTING.md'],
  ['changelog', 'CHANGELOG.md'],
  ['security', 'SECURITY.md'],
];

/** Returns the path below `/docs` of a file, by its path from the top of the project; undefined for other files. */
export function toSlug(file: string): string | undefined {
  const [slug] = elsewhere.find(([, path]) => path === file) ?? [];
  return slug ?? /^docs\/([\w./-]+?)(?:\/README)?\.md$/.exec(file)?.[1];
}

/** Returns the file of a document, by its path from the top of the project, unless it is an index of a folder. */
export function toFile(slug: string): string {
  const [, file] = elsewhere.find(([path]) => path === slug) ?? [];
  return file ?? `docs/${slug}.md`;
}

/** Documents outside of the folder `docs`. */
export const filesElsewhere: readonly string[] = elsewhere.map(([, file]) => file);
