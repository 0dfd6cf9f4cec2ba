import envPaths from 'env-paths';
import module from 'node:module';
import { join } from 'node:path';
import v8 from 'node:v8';

// This file is JavaScript, because a TypeScript file that runs before the cache is enabled would load Node's TypeScript
// compiler, which stays in memory (18 MB).

// Node runs cached code without verification, so only the current user may write to the cache folder.
const { cache } = envPaths('personal-data-account', { suffix: '' });
module.enableCompileCache(process.env['PDA_CODE_CACHE'] ?? join(cache, 'code'));

// Loading the modules leaves little garbage, but the young generation would keep its temporary size (docs/adr/0011).
v8.setFlagsFromString('--semi-space-growth-factor=1');

// Imported dynamically, so that the program is loaded from the cache.
const { main } = await import('./commands.ts');
process.exitCode = await main(process.argv);
