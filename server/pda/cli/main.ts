import envPaths from 'env-paths';
import module from 'node:module';
import { join } from 'node:path';
import v8 from 'node:v8';

// Node runs the cached code as it finds it: the cache lies where only the owner of this account on the machine can write.
const { cache } = envPaths('personal-data-account', { suffix: '' });
module.enableCompileCache(process.env['PDA_CODE_CACHE'] ?? join(cache, 'code'));

// Loading leaves little behind, but the young generation would keep the room that it takes for a moment (docs/adr/0011).
v8.setFlagsFromString('--semi-space-growth-factor=1');

// Loaded after the cache is enabled, so that the program comes from it.
const { main } = await import('./commands.ts');
process.exitCode = await main(process.argv);
