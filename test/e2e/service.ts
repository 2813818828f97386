import { setTimeout as wait } from 'node:timers/promises';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import type { Simulator } from '../../simulators/github/simulator.ts';
import type { TokenName } from '../../simulators/github/tokens.ts';
import { type Service, startService } from '../../src/app/app.ts';
import { readConfig } from '../../src/app/config/config.ts';
import type { AppOptions } from '../../src/app/core.ts';
import type { Database } from '../../src/database/connections/connection.ts';
import { createLog } from '../../src/model/log.ts';
import { createTestDatabase } from '../database.ts';
import { restoreDelays, toDatabaseUrl } from '../database-server.ts';
import { reportProgress, until } from '../time.ts';

/** A response of the service; `body` is parsed JSON. */
export interface ServiceResponse {
  status: number;
  headers: Headers;
  text: string;
  body: ResponseBody;
}

/** The body of a response or of an error; each test reads the fields that it expects. */
export interface ResponseBody {
  meta_data: {
    count: number;
    complete?: boolean;
    total?: number;
    missing?: string[];
    progress?: { repositories: { complete: number; total: number }; reason: string; resumes_dttm?: string };
    as_of?: string;
    includes_private?: boolean;
  };
  data: Record<string, unknown>[];
  next_cursor?: string;
  previous_cursor?: string;
  error?: { code: number; type: string; message: string };
}

export interface TestService extends AsyncDisposable {
  url: string;
  databaseUrl: string;
  dataDir: string;
  database: Database;
  /** Lines of the log so far. */
  lines: string[];
  /**
   * Requests a path as an image proxy does, once the node knows of all stored changes, or for a second if its database is
   * silent.
   * @param path below `/v1/github/entities/`, or an absolute one.
   */
  get(path: string, init?: RequestInit): Promise<ServiceResponse>;
  /** Requests a path until everything behind its response is collected. */
  getComplete(path: string, init?: RequestInit): Promise<ServiceResponse>;
  service: Service;
  /** Runs the jobs that are left, where no workers do. */
  work?(): Promise<void>;
}

export interface TestServiceOptions {
  simulator: Pick<Simulator, 'url' | 'apiUrl' | 'tokens'>;
  /** Names of the tokens that the service uses. Default: one that sees public data alone. */
  tokens?: TokenName[];
  /** Default: a new one, whose tables the service takes for up to date, because it is a copy of the template. */
  databaseUrl?: string;
  settings?: Record<string, string>;
  /** The text of the file that `PROVIDERS_FILE` names. */
  providersFile?: string;
  /** True: jobs wait as long as in production, for a test of what a delay brings together. */
  hasFullDelays?: boolean;
  now?: () => Date;
  /** The interval, in ms, at which delayed jobs that became due are found. Default: 100. */
  jobPollMs?: number;
  gitFirstResponseMs?: number;
  /** Starts the service or a part of it. Default: the whole service. */
  start?: typeof startService;
  /** Replaces parts of a provider. */
  changeProvider?: AppOptions['changeProvider'];
}

/** Returns the settings that lead to a test database, through the pooler and to the replica of the test run where there are. */
function databaseSettings(databaseUrl: string): Record<string, string> {
  const { TEST_SERVER_URL: serverUrl = '', TEST_POOLER_URL: poolerUrl, TEST_REPLICA_URL: replicaUrl } = process.env;
  const name = new URL(databaseUrl).pathname.slice(1);
  if (!URL.canParse(serverUrl) || databaseUrl !== toDatabaseUrl(serverUrl, name)) return { DATABASE_URL: databaseUrl };
  return {
    ...(poolerUrl
      ? { DATABASE_URL: toDatabaseUrl(poolerUrl, name), DATABASE_DIRECT_URL: databaseUrl }
      : { DATABASE_URL: databaseUrl }),
    ...(replicaUrl && { DATABASE_REPLICA_URL: toDatabaseUrl(replicaUrl, name) }),
  };
}

/** The interval, in ms, at which pages receive the progress of a collection. */
const progressEveryMs = 500;

/** A line of the log that says that a job has ended. */
const endOfJob = /"msg":"(?:Completed|Failed) task /;

/** Starts the whole service on a simulator, with a database and a data directory of its own. */
export async function startTestService(options: TestServiceOptions): Promise<TestService> {
  const { simulator, tokens = ['public_only'], start = startService } = options;
  const stack = new AsyncDisposableStack();
  const directory = stack.use(await makeTemporaryDirectory());
  const databaseUrl = options.databaseUrl ?? stack.use(await createTestDatabase()).url;
  if (options.hasFullDelays === true) await restoreDelays(databaseUrl);
  const lines: string[] = [];
  const environment = {
    PORT: '0',
    METRICS_PORT: '0',
    DATA_DIR: directory.path,
    ...databaseSettings(databaseUrl),
    GITHUB_URL: simulator.url,
    GITHUB_API_URL: simulator.apiUrl,
    GITHUB_TOKEN: tokens.map((name) => simulator.tokens[name]).join(','),
    LOG_LEVEL: 'debug',
    // Nodes of several tests share one server.
    REQUEST_CONNECTIONS: '3',
    JOB_CONNECTIONS: '4',
    ...options.settings,
  };
  const config = readConfig(environment, () => options.providersFile ?? '');
  const log = createLog(config.logLevel, {
    write: (line) => {
      lines.push(line);
      if (endOfJob.test(line)) reportProgress();
    },
  });
  const service = await start(config, {
    log,
    jobPollMs: options.jobPollMs ?? 100,
    progressEveryMs,
    isMigrated: options.databaseUrl === undefined,
    ...(options.now && { now: options.now }),
    ...(options.gitFirstResponseMs !== undefined && { gitFirstResponseMs: options.gitFirstResponseMs }),
    ...(options.changeProvider && { changeProvider: options.changeProvider }),
  });
  stack.defer(() => service.close());

  const get = async (path: string, init: RequestInit = {}): Promise<ServiceResponse> => {
    await Promise.race([service.catchUp(), wait(1000, undefined, { ref: false })]);
    const address = path.startsWith('/') ? `${service.url}${path}` : `${service.url}/v1/github/entities/${path}`;
    const sent = new Headers(init.headers);
    if (!sent.has('accept')) sent.set('accept', 'image/*, */*');
    const { status, headers, ...response } = await fetch(address, { redirect: 'manual', ...init, headers: sent }).then(
      async (fetched) => ({ status: fetched.status, headers: fetched.headers, text: await fetched.text() }),
    );
    const isJson = response.text !== '' && headers.get('content-type')?.startsWith('application/json');
    const body = (isJson ? JSON.parse(response.text) : {}) as ResponseBody;
    return { status, headers, text: response.text, body };
  };
  const getComplete = (path: string, init?: RequestInit): Promise<ServiceResponse> =>
    until(async () => {
      const response = await get(path, init);
      return response.status === 200 && response.body.meta_data.complete ? response : undefined;
    }, `${path} is complete`);
  return {
    url: service.url,
    databaseUrl,
    dataDir: directory.path,
    database: service.database,
    lines,
    get,
    getComplete,
    service,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
