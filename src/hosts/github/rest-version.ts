/** The versions of the REST API whose responses this provider reads, the oldest first. */
const known = ['2022-11-28', '2026-03-10'] as const;
const relearnAfterMs = 3_600_000;

/** Returns whether an address is that of the API of an Enterprise Server, which github.com and ghe.com have elsewhere. */
export function isEnterpriseServer(apiUrl: string): boolean {
  return apiUrl.endsWith('/api/v3');
}

/**
 * The version of the REST API that requests name. github.com and ghe.com have the newest. Every Enterprise Server since 3.9 has
 * the oldest, and lists all of its versions (https://docs.github.com/rest/about-the-rest-api/api-versions).
 */
export class RestVersion {
  #version: string;
  readonly #mayLearn: boolean;
  #learnAt = 0;

  constructor(apiUrl: string) {
    this.#mayLearn = isEnterpriseServer(apiUrl);
    this.#version = this.#mayLearn ? known[0] : known[1];
  }

  /** Returns the headers of every request to the REST API. */
  headers(): Record<string, string> {
    return {
      accept: 'application/vnd.github+json',
      'user-agent': 'plaudit',
      'x-github-api-version': this.#version,
    };
  }

  /**
   * Reads, once an hour, the versions that the server has, and names the newest known one from then on. Requests do not wait for it, and a server that lists none of the
   * known versions keeps the last one.
   */
  learn(list: () => Promise<readonly string[]>, now: Date): void {
    if (!this.#mayLearn || now.getTime() < this.#learnAt) return;
    this.#learnAt = now.getTime() + relearnAfterMs;
    list().then(
      (listed) => {
        this.#version = known.findLast((version) => listed.includes(version)) ?? this.#version;
      },
      () => {},
    );
  }
}
