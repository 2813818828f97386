import { lookParameters } from '../look.ts';

/** What somebody wants to compose: words from a form, by their names. Nothing of it is checked: pictures say what is wrong. */
export type Wanted = ReadonlyMap<string, string>;

/** A kind of picture that can be composed, and where it is found. */
export interface Kind {
  card: string;
  label: string;
  /** Below the account's address. */
  path(repository: string): string;
  /** Parameters that choose the kind at that path. */
  parameters(repository: string): Record<string, string>;
  /** What the picture is, for those who cannot see it. */
  altText(of: string): string;
  takesRepository: boolean;
}

export const kinds: readonly [Kind, ...Kind[]] = [
  {
    card: 'contributions',
    label: 'Contributions',
    path: () => 'contributions',
    parameters: () => ({}),
    altText: (of) => `Contributions of ${of}`,
    takesRepository: false,
  },
  {
    card: 'calendar',
    label: 'Calendar',
    path: () => 'contributions',
    parameters: () => ({ card: 'calendar' }),
    altText: (of) => `Contributions of ${of}, day by day`,
    takesRepository: false,
  },
  {
    card: 'contributors',
    label: 'Contributors',
    path: () => 'contributors',
    parameters: (repository): Record<string, string> => (repository === '' ? {} : { repository }),
    altText: (of) => `Contributors to ${of}`,
    takesRepository: true,
  },
  {
    card: 'community',
    label: 'Community badge',
    path: (repository) =>
      repository === '' ? 'badges/community' : `repositories/${segment(repository)}/badges/community`,
    parameters: () => ({}),
    altText: (of) => `Community of ${of}`,
    takesRepository: true,
  },
];

/** Parameters that a form has besides those of how a picture looks. */
const others = ['limit', 'bots'];
/** What a form sends of a choice that is not made. */
const unchanged: Record<string, string> = {
  theme: 'auto',
  locale: 'en',
  animation: 'none',
  scale: '1',
  border: 'true',
};

export function kindOf(wanted: Wanted): Kind {
  return kinds.find(({ card }) => card === wanted.get('card')) ?? kinds[0];
}

/** The path of the picture on this service; undefined while nobody is named. */
export function picturePath(wanted: Wanted): string | undefined {
  const name = wanted.get('name') ?? '';
  if (name === '') return undefined;
  const kind = kindOf(wanted);
  const repository = kind.takesRepository ? (wanted.get('repository') ?? '') : '';
  const format = wanted.get('format') === 'png' ? 'png' : 'svg';
  const parameters = new URLSearchParams({ format, ...kind.parameters(repository) });
  for (const parameter of [...others, ...Object.keys(lookParameters)]) {
    const value = wanted.get(parameter) ?? '';
    if (value === '' || value === unchanged[parameter] || (parameter === 'scale' && format === 'svg')) continue;
    parameters.set(parameter, value);
  }
  const provider = segment(wanted.get('provider') ?? 'github');
  // Commas are as good as their codes, and can be read.
  const query = parameters.toString().replaceAll('%2C', ',');
  return `/v1/${provider}/entities/${segment(name)}/${kind.path(repository)}?${query}`;
}

/** What the picture is, for those who cannot see it. */
export function altTextOf(wanted: Wanted): string {
  const kind = kindOf(wanted);
  const repository = kind.takesRepository ? (wanted.get('repository') ?? '') : '';
  const name = wanted.get('name') ?? '';
  return kind.altText(repository === '' ? name : `${name}/${repository}`);
}

function segment(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
