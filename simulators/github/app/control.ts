import type { Repository } from '../../world/model.ts';
import type { World } from '../../world/world.ts';
import type { App } from './app.ts';
import type { DeliveryPolicy } from './deliverer.ts';
import type { Installation } from './installation.ts';

/** A manual change of the App: on one account (`login`), with some of its repositories. */
export interface AppChange {
  action: string;
  login?: string;
  repositories?: string[];
  /** The address of the service that receives deliveries; `secret` signs them. */
  service?: string;
  secret?: string;
  policy?: Partial<DeliveryPolicy>;
}

export function changeApp(world: World, app: App, { action, login = '', ...change }: AppChange): void {
  const account = world.accountByLogin(login);
  const repositories = (): Repository[] =>
    (change.repositories ?? []).map((name) => {
      const found = world.repository(login, name);
      if (found === undefined) throw new Error(`there is no repository ${login}/${name}`);
      return found;
    });
  const installation = (): Installation => {
    const found = [...app.installations.values()].find(({ accountId }) => accountId === account?.id);
    if (found === undefined) throw new Error(`the App is not installed on ${login}`);
    return found;
  };
  const actions: Record<string, () => unknown> = {
    install: () => {
      if (account === undefined) throw new Error(`there is no account ${login}`);
      app.install(account, change.repositories && repositories());
    },
    add: () => app.addRepositories(installation(), repositories()),
    remove: () => app.removeRepositories(installation(), repositories()),
    suspend: () => app.suspend(installation()),
    unsuspend: () => app.unsuspend(installation()),
    uninstall: () => app.uninstall(installation()),
    deliver_to: () => app.deliverTo(change.service ?? '', change.secret ?? ''),
    policy: () => Object.assign(app.deliverer.policy, change.policy),
  };
  const act = actions[action];
  if (act === undefined) throw new Error(`action is one of ${Object.keys(actions).join(', ')}`);
  act();
}
