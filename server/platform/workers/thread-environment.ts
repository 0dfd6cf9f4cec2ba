import module from 'node:module';
import { dirname } from 'node:path';

/**
 * Returns the environment of a worker thread. It contains the process's compile cache, which a thread uses only if the
 * environment names it; otherwise each thread would compile everything again.
 */
export const threadEnvironment = (): NodeJS.ProcessEnv => {
  const cacheFolder = module.getCompileCacheDir();
  // The cache directory of this Node version is inside the configured one.
  return cacheFolder === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cacheFolder) };
};
