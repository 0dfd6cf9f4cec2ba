import envPaths from 'env-paths';
import module from 'node:module';
import { join } from 'node:path';

// Node runs the cached code as it finds it: the cache lies where only the owner of this account on the machine can write.
const { cache } = envPaths('personal-data-account', { suffix: '' });
module.enableCompileCache(process.env['PDA_CODE_CACHE'] ?? join(cache, 'code'));

// Loaded after the cache is enabled, so that the program comes from it.
const { main } = await import('./commands.ts');
process.exitCode = await main(process.argv);
