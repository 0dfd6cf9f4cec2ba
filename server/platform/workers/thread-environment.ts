import module from 'node:module';
import { dirname } from 'node:path';

/** The environment of a thread: with the program's store of compiled code, which it uses only when that is named there. Without it each thread compiles all anew. */
export const threadEnvironment = (): NodeJS.ProcessEnv => {
  const store = module.getCompileCacheDir();
  // The folder of this version of Node within the one that was given.
  return store === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(store) };
};
