import { registrationUrl } from '../../hosts/github/app/registration.ts';
import { subscribedEvents } from '../../hosts/github/webhooks.ts';
import { AppError } from '../../model/errors.ts';
import { readConfig } from '../config/config.ts';
import { type Io, UsageError } from './io.ts';

/**
 * `plaudit github-app-url [--writing] [ORGANIZATION]`: prints the address of the form that registers a GitHub App for
 * this service, already filled in. `--writing` adds the permissions that comments and check runs need.
 */
export async function gitHubAppUrl(io: Io, args: readonly string[]): Promise<void> {
  const canReport = args.includes('--writing');
  const [organization, ...rest] = args.filter((argument) => argument !== '--writing');
  if (rest.length > 0) throw new UsageError('usage: plaudit github-app-url [--writing] [ORGANIZATION]');
  const { publicUrl, providers } = readConfig(io.environment);
  const github = providers.find(({ name }) => name === 'github');
  if (publicUrl === undefined || github === undefined) {
    throw new AppError('misconfigured', 'PUBLIC_URL must be set: GitHub delivers to the service there');
  }
  if (organization !== undefined && !/^[a-z\d](?:[a-z\d-]{0,38})$/i.test(organization)) {
    throw new UsageError('ORGANIZATION must be the name of an organization on GitHub');
  }
  const webhookUrl = `${publicUrl}/v1/github/webhooks`;
  io.print(
    registrationUrl({
      url: github.url,
      organization,
      canWrite: canReport,
      publicUrl,
      webhookUrl,
      callbackUrl: `${publicUrl}/sign-in/github/callback`,
      events: subscribedEvents,
    }),
  );
}
