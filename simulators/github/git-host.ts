import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendCommits, buildRepository, moveRef, setDefaultBranch } from '../git/build-repository.ts';
import { type ResolvedRepository, smartHttp } from '../git/smart-http.ts';
import { toDescriptions } from '../world/commits.ts';
import type { Repository } from '../world/model.ts';
import type { Viewer, World } from '../world/world.ts';

interface Built {
  directory: string;
  oids: Set<string>;
  tip: string | undefined;
  branch: string;
}

type Authenticate = (authorization: string | undefined) => { name: string; viewer: Viewer } | undefined;

/** Serves the repositories of the world over git. Each is built at its first request. */
export class GitHost {
  readonly handle: ReturnType<typeof smartHttp>;
  /** Repositories whose code is switched off; everything else of them is served. */
  readonly switchedOff = new Set<Repository>();
  /** Repositories that git cannot read just now, while the API works. */
  readonly unavailable = new Set<Repository>();
  /** Repositories of which git receives something that it does not understand. */
  readonly unreadable = new Set<Repository>();
  readonly #world: World;
  readonly #authenticate: Authenticate;
  readonly #building = new Map<Repository, Promise<Built>>();
  #root: Promise<string> | undefined;

  constructor(world: World, authenticate: Authenticate) {
    this.#world = world;
    this.#authenticate = authenticate;
    this.handle = smartHttp((path, authorization) => this.#resolve(path, authorization));
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#building.values());
    if (this.#root !== undefined) await rm(await this.#root, { recursive: true, force: true, maxRetries: 3 });
  }

  async #resolve(path: string, authorization: string | undefined): Promise<ResolvedRepository> {
    const [, owner = '', name = ''] = /^\/(.+)\/([^/]+?)(?:\.git)?$/.exec(path) ?? [];
    const caller = this.#authenticate(authorization);
    const repository = this.#world.repository(owner, name);
    if (caller === undefined) return 'unauthorized';
    if (repository === undefined || !this.#world.canSee(caller.viewer, repository)) {
      return caller.name === 'anonymous' ? 'unauthorized' : 'not_found';
    }
    if (this.switchedOff.has(repository)) return 'not_found';
    if (this.unavailable.has(repository)) return 'unavailable';
    if (this.unreadable.has(repository)) return 'unreadable';
    // Updates of the same repository run one after the other.
    const building = (this.#building.get(repository) ?? Promise.resolve(undefined)).then((built) =>
      this.#bringUpToDate(repository, built),
    );
    this.#building.set(repository, building);
    return { directory: (await building).directory };
  }

  async #bringUpToDate(repository: Repository, built: Built | undefined): Promise<Built> {
    // A copy of the current commits, because the branch may move while git works.
    const commits = [...repository.commits];
    const tip = commits.at(-1)?.oid;
    const { defaultBranch: branch } = repository;
    if (built === undefined) {
      this.#root ??= mkdtemp(join(tmpdir(), 'plaudit-simulator-'));
      const directory = join(await this.#root, `${repository.id}.git`);
      await buildRepository(directory, { commits: toDescriptions(commits), branch });
      return { directory, branch, tip, oids: new Set(commits.map(({ oid }) => oid)) };
    }
    if (built.tip === tip && built.branch === branch) return built;
    const added = commits.filter(({ oid }) => !built.oids.has(oid));
    const ref = `refs/heads/${branch}`;
    await appendCommits(built.directory, ref, toDescriptions(added));
    // The import moves the branch to the last commit that it adds; git is started again only where that is not enough.
    if (added.length === 0 || added.at(-1)?.oid !== tip) await moveRef(built.directory, ref, tip ?? null);
    if (built.branch !== branch) await setDefaultBranch(built.directory, branch);
    for (const { oid } of added) built.oids.add(oid);
    return { ...built, tip, branch };
  }
}
