// Where the program starts. Plain JavaScript, the only file of it that is: Node strips the types of the file that it is started with before
// anything can tell it where stripped code is kept, and that alone takes a tenth of a start (docs/adr/0002).
import module from 'node:module';
import { join } from 'node:path';
import v8 from 'node:v8';
import envPaths from 'env-paths';

// Compiled code is kept between starts: reading and stripping a hundred source files is most of a start. It is run as it is found, so
// it is kept where only the owner of this account on the machine can write.
const ours = envPaths('personal-data-account', { suffix: '' });
module.enableCompileCache(process.env['PDA_CODE_CACHE'] ?? join(ours.cache, 'code'));

// Loading leaves little behind; without this the heap would keep the room that it takes for a moment.
v8.setFlagsFromString('--semi-space-growth-factor=1');

// Node asks the disk for each file what it is, whether it is a link, and which package it belongs to: a third of the time that loading takes. What
// a file of this program, or of Zod, calls by its path is just there, and of the kind that its ending says.
const program = new URL('../../', import.meta.url).href;
const zod = new URL('node_modules/zod/', program).href;
const others = new URL('node_modules/', program).href;
const formats = new Map([
  ['.ts', 'module-typescript'],
  ['.js', 'module'],
]);
module.registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context;
    if (!specifier.startsWith('.') || parentURL === undefined || !parentURL.startsWith(program))
      return next(specifier, context);
    const inZod = parentURL.startsWith(zod);
    if (!inZod && parentURL.startsWith(others)) return next(specifier, context);
    // Zod comes with its messages in sixty languages, each a file, and only the English ones are used: the others alone took as long to load as all
    // else of it. Should a newer Zod arrange them otherwise, they are loaded again, and nothing else changes.
    const called = inZod && specifier === '../locales/index.js' ? '../locales/en.js' : specifier;
    const format = formats.get(called.slice(-3));
    if (format === undefined) return next(called, context);
    return { url: new URL(called, parentURL).href, format, shortCircuit: true };
  },
});

const { main } = await import('./commands.ts');
process.exitCode = await main(process.argv);
