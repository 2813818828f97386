import type { Account } from './model.ts';
import { addAccount } from './people.ts';
import type { World } from './world.ts';

/** Logins of the accounts that tests and people request. */
export const namedAccounts = {
  user: 'ada-lovelace',
  heavy: 'grace-hopper',
  organization: 'analytical-engines',
  renamed_from: 'old-mill',
  renamed_to: 'new-mill',
  deleted: 'gone-babbage',
  bot: 'engine-helper[bot]',
  empty: 'quiet-quill',
  private_owner: 'secret-keeper',
  organization_admin: 'olive-admin',
  organization_member: 'max-member',
  outsider: 'out-sider',
} as const;

/** Accounts with a role of their own. */
export interface Cast {
  user: Account;
  heavy: Account;
  organization: Account;
  renamed: Account;
  deleted: Account;
  bot: Account;
  privateOwner: Account;
  member: Account;
  mannequin: Account;
}

export function addCast(world: World): Cast {
  const names = namedAccounts;
  const user = addAccount(world, {
    login: names.user,
    createdAt: years(2016),
    name: 'Ada Lovelace',
    bio: 'Poetical science.\nNotes A to G.',
    websiteUrl: 'https://ada.example',
    twitter: 'ada',
    socialAccounts: [{ provider: 'LINKEDIN', displayName: 'in/ada', url: 'https://www.linkedin.com/in/ada' }],
    emails: ['ada@mail.example', 'Ada.Lovelace@Work.Example'],
    followers: 1843,
    following: 12,
    publishesPrivateCounts: true,
  });
  const organization = addAccount(world, {
    type: 'Organization',
    login: names.organization,
    createdAt: years(2015),
    name: 'Analytical Engines',
    bio: 'Engines, with "notes" & <tags>.',
    followers: 77,
  });
  const admin = addAccount(world, { login: names.organization_admin, createdAt: years(2015) });
  const member = addAccount(world, {
    login: names.organization_member,
    createdAt: years(2015),
    emails: ['max@mail.example'],
  });
  const pending = addAccount(world, { login: 'penny-pending', createdAt: years(2015) });
  world.memberships.push(
    { organizationId: organization.id, accountId: admin.id, role: 'admin', state: 'active' },
    { organizationId: organization.id, accountId: member.id, role: 'member', state: 'active' },
    { organizationId: organization.id, accountId: pending.id, role: 'admin', state: 'pending' },
  );
  // Logins that begin like another login.
  addAccount(world, { login: 'ada', createdAt: years(2017) });
  addAccount(world, { login: 'ada-l', createdAt: years(2018) });
  addAccount(world, { login: names.empty, createdAt: years(2020) });
  addAccount(world, { login: names.outsider, createdAt: years(2019) });
  return {
    user,
    organization,
    member,
    heavy: addAccount(world, {
      login: names.heavy,
      createdAt: years(2009),
      name: 'Grace',
      isHeavy: true,
      emails: ['grace@mail.example'],
    }),
    renamed: addAccount(world, {
      login: names.renamed_from,
      createdAt: years(2016),
      nextLogin: names.renamed_to,
      emails: ['mill@mail.example'],
    }),
    deleted: addAccount(world, { login: names.deleted, createdAt: years(2015), emails: ['babbage@mail.example'] }),
    bot: addAccount(world, { type: 'Bot', login: names.bot, createdAt: years(2018) }),
    privateOwner: addAccount(world, {
      login: names.private_owner,
      createdAt: years(2016),
      emails: ['secret@mail.example'],
    }),
    mannequin: addAccount(world, { type: 'Mannequin', login: 'imported-person', createdAt: years(2017) }),
  };
}

/**
 * Adds Copilot's two bots, which REST and commit addresses both call `Copilot` (posit-dev/ark#1001, and the address
 * `198982749+Copilot@users.noreply.github.com`), GraphQL by names of their own.
 */
export function addCopilot(world: World): { agent: Account; reviewer: Account } {
  const bot = (login: string, id: number): Account =>
    addAccount(world, { type: 'Bot', login: `${login}[bot]`, restLogin: 'Copilot', id, createdAt: years(2025) });
  return { agent: bot('copilot-swe-agent', 198_982_749), reviewer: bot('copilot-pull-request-reviewer', 175_728_472) };
}

/** Returns a day in a year. */
export function years(year: number): Date {
  return new Date(Date.UTC(year, 2, 10));
}
