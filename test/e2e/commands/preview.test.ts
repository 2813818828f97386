import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { previewAchievements } from '../../../src/commands/preview-achievements.ts';
import { engines } from '../../integration/access/owner.ts';
import { fileWith } from '../../unit/achievements/reported.ts';
import { entity as giteaEntity, settingsOf as giteaSettings, inService as inGitea } from '../gitea/scene.ts';
import {
  settingsOf as gitlabSettings,
  inService as inGitLab,
  untilTrue as untilTrueAtGitLab,
} from '../gitlab/scene.ts';
import type { TestService } from '../service.ts';

/** Tests `plaudit achievements preview` beside a service that has collected data. */

async function preview(
  { databaseUrl, dataDir }: TestService,
  settings: Record<string, string>,
  ...args: string[]
): Promise<{ lines: string[]; warnings: string[] }> {
  const [lines, warnings]: [string[], string[]] = [[], []];
  const io = {
    environment: { ...settings, DATA_DIR: dataDir, DATABASE_URL: databaseUrl },
    print: (line: string) => void lines.push(line),
    warn: (line: string) => void warnings.push(line),
    isTerminal: false,
    signal: AbortSignal.timeout(60_000),
  };
  await previewAchievements(io, args);
  return { lines, warnings };
}

const opened = fileWith('{ actor: author, action: issue, condition: count() >= 1 }');
const starred = fileWith('{ actor: author, action: star, condition: starred = true }');

describe('plaudit achievements preview', () => {
  it('accepts a repository with its host, and warns of conditions on data that the host does not report', async () => {
    await inGitea(async (scene) => {
      const { service, simulator } = scene;
      await using place = await makeTemporaryDirectory();
      await writeFile(place.at('opened.yaml'), opened);
      await writeFile(place.at('starred.yaml'), starred);
      const settings = giteaSettings(simulator);
      await service.getComplete(`${giteaEntity(engines.name)}/contributors?repository=handbook`);
      for (const target of [
        [`gitea/${engines.name}/handbook`],
        ['--repository', `gitea/${engines.name}/HANDBOOK`],
        ['--repository', `${engines.name}/handbook`, '--provider', 'gitea'],
      ]) {
        const { lines, warnings } = await preview(service, settings, place.at('opened.yaml'), ...target);
        assert.match(lines[0] ?? '', /^Hero: 3 would earn it$/, target.join(' '));
        assert.deepEqual(warnings, []);
      }
      const { lines, warnings } = await preview(
        service,
        settings,
        place.at('starred.yaml'),
        `gitea/${engines.name}/handbook`,
      );
      assert.deepEqual(lines, ['Hero: 0 would earn it']);
      assert.match(warnings.join('\n'), /warning: Gitea and Forgejo do not report the times of stars/);
      for (const [args, expected] of [
        [['codeberg/a/b'], /codeberg is not a provider here; those that are: github, gitea/],
        [['handbook'], /needs FILE PROVIDER\/OWNER\/NAME/],
        [[], /needs FILE/],
        [['gitea/a/b', '--repository', 'gitea/a/b'], /needs FILE/],
        [['gitea/a/b'], /nothing is stored of a\/b; plaudit sync gitea\/a\/b brings it/],
      ] as [string[], RegExp][]) {
        await assert.rejects(preview(service, settings, place.at('opened.yaml'), ...args), expected, args.join(' '));
      }
    });
  });

  it('accepts a repository of a subgroup', async () => {
    await inGitLab(async (scene) => {
      const { service, simulator, looms, cards } = scene;
      await using place = await makeTemporaryDirectory();
      await writeFile(place.at('opened.yaml'), opened);
      await untilTrueAtGitLab(scene, 'the group below is collected', looms.login);
      for (const owner of [looms.login, encodeURIComponent(looms.login)]) {
        const target = `gitlab/${owner}/${cards.name}`;
        const { lines } = await preview(service, gitlabSettings(simulator), place.at('opened.yaml'), target);
        assert.match(lines.join('\n'), /^Hero: 1 would earn it\n {2}max-member /, owner);
      }
    });
  });
});
