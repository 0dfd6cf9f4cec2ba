import module from 'node:module';
import { dirname } from 'node:path';

/**
 * Returns the environment of a thread. A thread uses the compile cache only if its environment names it, and would
 * otherwise compile everything.
 */
export const threadEnvironment = (): NodeJS.ProcessEnv => {
  const cacheFolder = module.getCompileCacheDir();
  // The cache directory of this Node version is inside the configured one.
  return cacheFolder === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cacheFolder) };
};
