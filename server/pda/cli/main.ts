import envPaths from 'env-paths';
import module from 'node:module';
import { join } from 'node:path';
import v8 from 'node:v8';

// Node executes cached code without verification, so the cache is in a folder that only this user can write to.
const { cache } = envPaths('personal-data-account', { suffix: '' });
module.enableCompileCache(process.env['PDA_CODE_CACHE'] ?? join(cache, 'code'));

// Loading the modules leaves little garbage, but the young generation would keep its temporary size (docs/adr/0011).
v8.setFlagsFromString('--semi-space-growth-factor=1');

// Imported after the cache is enabled, so that the program is loaded from it.
const { main } = await import('./commands.ts');
process.exitCode = await main(process.argv);
