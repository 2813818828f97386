import type { Config } from '../config/config.ts';
import type { Role } from './messages.ts';

/** The fewest connections that leave one for cheap reads while an expensive one runs. */
const fewestForRequests = 2;

/** The control connections of one of several processes. */
export const controlConnections = 1;

/** Returns the settings of one of several processes. Together they have the connections of the settings. */
export function toShare(config: Config, role: Role): Config {
  const { workers, requestConnections } = config;
  if (role === 'jobs') return { ...config, requestConnections: fewestForRequests };
  const share = Math.max(fewestForRequests, Math.ceil(requestConnections / workers));
  return { ...config, requestConnections: share, jobConnections: 1 };
}

/**
 * Returns the most connections to the database that a node has: those of requests and jobs, and of each process one for
 * control statements and one that listens.
 */
export function countConnections(config: Config): number {
  const { workers, requestConnections, jobConnections } = config;
  if (workers === 1) return requestConnections + jobConnections + 3;
  const ofEach = controlConnections + 1;
  const forRequests = toShare(config, 'requests');
  const requests = workers * (forRequests.requestConnections + forRequests.jobConnections + ofEach);
  return requests + jobConnections + fewestForRequests + ofEach;
}
