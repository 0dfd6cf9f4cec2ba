import module from 'node:module';
import { join } from 'node:path';
import envPaths from 'env-paths';

// Compiled code is kept between starts: reading and stripping a hundred source files is most of a start. It is run as it is found, so
// it is kept where only the owner of this account on the machine can write.
const ours = envPaths('personal-data-account', { suffix: '' });
module.enableCompileCache(process.env['PDA_CODE_CACHE'] ?? join(ours.cache, 'code'));

const { main } = await import('./commands.ts');
process.exitCode = await main(process.argv);
