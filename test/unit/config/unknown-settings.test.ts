import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../../../src/app/config/config.ts';
import { AppError } from '../../../src/model/errors.ts';
import { environments } from './environments.ts';

const read = (environment: Record<string, string>) => readConfig(environment, () => assert.fail('a file was read'));

describe('unknown settings', () => {
  for (const [system, variables] of Object.entries(environments)) {
    it(`are ignored when they are the variables of ${system}`, () => {
      const config = read(variables);
      assert.deepEqual([config.port, config.metricsPort, config.databaseUrl], [8080, 9090, undefined]);
      assert.equal(config.providers.length, 1);
    });
  }

  it('stop the start when they are misspelled settings, with the name of the setting', () => {
    const misspelled: Record<string, string> = {
      GITHUB_TOKENS: 'GITHUB_TOKEN',
      GITHUB_TKN: 'GITHUB_TOKEN',
      GITHUB_TOKNE_FILE: 'GITHUB_TOKEN_FILE',
      GITHUB_URI: 'GITHUB_URL',
      GITLAB_TOKEN_FIEL: 'GITLAB_TOKEN_FILE',
      GITEA_WEBHOOK_SECRETS: 'GITEA_WEBHOOK_SECRET',
      LOOKUP_BUDGET: 'LOOKUP_BUDGET_MS',
      LOOKUP_BUDGET_S: 'LOOKUP_BUDGET_MS',
      FRESH_FOR: 'FRESH_FOR_S',
      PLAUDIT_PORT: 'PORT',
      PLAUDIT_DATABASE_URL: 'DATABASE_URL',
    };
    for (const [name, suggestion] of Object.entries(misspelled)) {
      const message = `${name} is not a setting of this service; did you mean ${suggestion}?`;
      assert.throws(
        () => read({ [name]: 'marker' }),
        (error) => error instanceof AppError && error.code === 'misconfigured' && error.message === message,
        message,
      );
    }
  });
});

describe('addresses of services in Kubernetes', () => {
  it('are no ports, also where the name of the variable is that of a setting', () => {
    const config = read({ METRICS_PORT: 'tcp://10.0.0.11:9090' });
    assert.deepEqual([config.metricsPort, config.metricsPortIsSet], [9090, false]);
    assert.throws(() => read({ METRICS_PORT: '10.0.0.11:9090' }), /^AppError: METRICS_PORT must be an integer/);
  });
});
