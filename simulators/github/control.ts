import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { addCommit, addIssue } from '../world/activity.ts';
import type { Account, Repository } from '../world/model.ts';
import {
  changeProfile,
  closeItem,
  deleteAccount,
  deleteRepository,
  forcePush,
  renameAccount,
  renameRepository,
  restoreAccount,
  setVisibility,
  takeLogin,
} from '../world/mutations.ts';
import { writeFile } from '../world/repository-changes.ts';
import type { World } from '../world/world.ts';
import type { LoggedRequest } from './api.ts';
import type { App } from './app/app.ts';
import { type AppChange, changeApp } from './app/control.ts';
import { type Fault, type Faults, faultKinds, fieldErrorKinds } from './faults.ts';
import type { Limits } from './limits.ts';
import { type OrganizationRefusal, organizationRefusals, type RefusingOrganizations } from './organization-refusals.ts';

export interface Controlled {
  world: World;
  faults: Faults;
  limits: Limits;
  requests: LoggedRequest[];
  app: App;
  refusing: RefusingOrganizations;
}

/** Serves the manual controls: faults, changes, and the log of requests. See README.md. */
export async function control(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  controlled: Controlled,
): Promise<void> {
  const reply = (status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
  };
  try {
    switch (`${request.method} ${path}`) {
      case 'POST /_simulator/faults':
        controlled.faults.add(readFault(await json(request)));
        return reply(200, { pending: controlled.faults.pending });
      case 'DELETE /_simulator/faults':
        controlled.faults.clear();
        return reply(200, { pending: 0 });
      case 'POST /_simulator/refusals':
        changeRefusal(controlled.refusing, (await json(request)) as RefusalChange);
        return reply(200, {});
      case 'POST /_simulator/world':
        change(controlled.world, (await json(request)) as Change);
        return reply(200, { version: controlled.world.version });
      case 'POST /_simulator/app':
        changeApp(controlled.world, controlled.app, (await json(request)) as AppChange);
        return reply(200, { installations: [...controlled.app.installations.keys()] });
      case 'GET /_simulator/app':
        return reply(200, { app_id: controlled.app.id, private_key: controlled.app.privateKey });
      case 'POST /_simulator/limits':
        Object.assign(controlled.limits.settings, await json(request));
        controlled.limits.reset();
        return reply(200, controlled.limits.settings);
      case 'GET /_simulator/requests':
        return reply(200, controlled.requests);
      default:
        return reply(404, { message: 'see README.md' });
    }
  } catch (error) {
    return reply(400, { message: error instanceof Error ? error.message : String(error) });
  }
}

function readFault(body: unknown): Fault {
  const fault = body as Fault;
  if (!faultKinds.includes(fault.kind)) throw new Error(`kind is one of ${faultKinds.join(', ')}`);
  if (fault.error !== undefined && !fieldErrorKinds.includes(fault.error)) {
    throw new Error(`error is one of ${fieldErrorKinds.join(', ')}`);
  }
  return fault;
}

/** Without `reason`, the organization accepts every credential again. */
interface RefusalChange {
  login: string;
  reason?: OrganizationRefusal;
  tokens?: string[];
}

function changeRefusal(refusing: RefusingOrganizations, { login, reason, tokens }: RefusalChange): void {
  if (reason === undefined) refusing.allow(login);
  else if (organizationRefusals.includes(reason)) refusing.refuse(login, reason, tokens);
  else throw new Error(`reason is one of ${organizationRefusals.join(', ')}`);
}

/** A change of an account (`login`) or of one of its repositories (`repository`), with a new name or value (`to`). */
interface Change {
  action: string;
  login: string;
  repository?: string;
  /** The path of a file. */
  path?: string;
  to?: string;
}

function change(world: World, { action, login, repository: name, path = '', to = '' }: Change): void {
  const account = (): Account => {
    const found = world.accounts.find((account) => account.login.toLowerCase() === login.toLowerCase());
    if (found === undefined) throw new Error(`there is no account ${login}`);
    return found;
  };
  const repository = (): Repository => {
    const found = world.repository(login, name ?? '');
    if (found === undefined) throw new Error(`there is no repository ${login}/${name}`);
    return found;
  };
  const actions: Record<string, () => unknown> = {
    rename_account: () => renameAccount(world, account(), to),
    delete_account: () => deleteAccount(world, account()),
    restore_account: () => restoreAccount(world, account()),
    take_login: () => takeLogin(world, login),
    change_bio: () => changeProfile(world, account(), { bio: to }),
    add_issue: () => addIssue(world, repository(), { author: world.accountByLogin(to) ?? account() }),
    close_issue: () => {
      const open = repository().issues.find(({ closedAt }) => closedAt === null);
      if (open !== undefined) closeItem(world, open);
    },
    add_commit: () => addCommit(world, repository(), { author: { name: login, email: to } }),
    write_file: () => writeFile(world, repository(), path, to, { name: login, email: 'keeper@mail.example' }),
    force_push: () => forcePush(world, repository(), 1, [to]),
    set_visibility: () => setVisibility(world, repository(), to as Repository['visibility']),
    rename_repository: () => renameRepository(world, repository(), to),
    delete_repository: () => deleteRepository(world, repository()),
  };
  const act = actions[action];
  if (act === undefined) throw new Error(`action is one of ${Object.keys(actions).join(', ')}`);
  act();
}
