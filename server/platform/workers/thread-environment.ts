import module from 'node:module';
import { dirname } from 'node:path';

/**
 * Returns the environment of a worker thread. It names the compile cache of the process, which a thread uses only if
 * it is set there; otherwise each thread would compile everything again.
 */
export const threadEnvironment = (): NodeJS.ProcessEnv => {
  const cacheFolder = module.getCompileCacheDir();
  // The cache directory of this Node version is in the configured one.
  return cacheFolder === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cacheFolder) };
};
