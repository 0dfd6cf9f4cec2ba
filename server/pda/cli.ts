import module from 'node:module';
import { join } from 'node:path';
import { tmpdir } from 'node:os';

// Compiled code is kept between starts: reading and stripping a hundred source files is most of a start.
module.enableCompileCache(
  process.env['PDA_CODE_CACHE'] ?? join(tmpdir(), `pda-code-cache-${process.getuid?.() ?? 'user'}`),
);

const { main } = await import('./commands.ts');
process.exitCode = await main(process.argv);
