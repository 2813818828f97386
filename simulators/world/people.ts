import type { Account, AccountType } from './model.ts';
import type { Random } from './random.ts';
import { nodeId, type World } from './world.ts';

const nodePrefixes: Record<AccountType, string> = { User: 'U', Organization: 'O', Bot: 'BOT', Mannequin: 'M' };

/** Ordinary names, and some that are hard to display or store. */
const names = [
  'Ada Lovelace',
  '山田 太郎',
  'محمد الأمين',
  'שרה כהן',
  'Zoë Müller-Łukasiewicz',
  '👩‍💻 Kim 🚀',
  'Nguyễn Thị Minh Khai',
  'Zalgo Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢',
  '<b>Bobby</b> "Tables" & Sons',
  "Robert'); DROP TABLE accounts;--",
  'Line\nBreak\tTab',
  'A Very Long Name That Goes On And On Until Nobody Remembers How It Began Or Why It Was Chosen At All In The First Place',
  '',
];

/** Adds an account; properties that are not given get plain values. */
export function addAccount(world: World, described: Partial<Account> & { login: string; createdAt: Date }): Account {
  const type = described.type ?? 'User';
  const id = described.id ?? world.newId();
  const account: Account = {
    nodeId: nodeId(nodePrefixes[type], id),
    restLogin: null,
    name: null,
    bio: null,
    websiteUrl: null,
    twitter: null,
    socialAccounts: [],
    emails: [],
    followers: 0,
    following: 0,
    updatedAt: described.createdAt,
    isDeleted: false,
    isHeavy: false,
    publishesPrivateCounts: false,
    nextLogin: null,
    ...described,
    id,
    type,
  };
  world.accounts.push(account);
  world.markChanged();
  return account;
}

/** Adds `count` people with profiles of all sorts. */
export function addPeople(world: World, random: Random, count: number, since: Date): Account[] {
  return Array.from({ length: count }, (_, index) => {
    const login = `person-${index + 1}`;
    const name = random.pick(names);
    return addAccount(world, {
      login,
      createdAt: random.time(since, new Date(since.getTime() + 365 * 86_400_000)),
      name: name === '' ? null : name,
      bio: random.chance(0.5) ? `I am number ${index + 1} & <happy> about it.` : null,
      websiteUrl: random.chance(0.3) ? `https://${login}.example` : null,
      twitter: random.chance(0.2) ? login.replace('-', '_') : null,
      socialAccounts: random.chance(0.2)
        ? [{ provider: 'MASTODON', displayName: `@${login}@social.example`, url: `https://social.example/@${login}` }]
        : [],
      emails: [`${login}@mail.example`, `${login}.work@Company.Example`].slice(0, random.integer(1, 2)),
      followers: random.integer(0, 500),
      following: random.integer(0, 50),
    });
  });
}

/** Returns addresses that an account's commits may carry: its own in any letter case, GitHub's new and old ones. */
export function listAddresses({ id, login, restLogin, emails, type }: Account): string[] {
  const noreply = `${id}+${restLogin ?? login}@users.noreply.github.com`;
  if (type === 'Bot') return [noreply];
  const spellings = emails.flatMap((email) => [email, email.toUpperCase()]);
  const former = `${id}+formerly-${login}@users.noreply.github.com`;
  return [...spellings, noreply, former, `${login}@users.noreply.github.com`];
}
