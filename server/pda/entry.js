// Where the program starts. Plain JavaScript, the only file of it that is: Node strips the types of the file that it is started with before
// anything can tell it where stripped code is kept, and that alone takes a tenth of a start (docs/adr/0002).
import envPaths from 'env-paths';

// Asked for, not imported: before an import can be linked, Node reads every name that the module has, and some of them load what no start wants.
const { readFileSync, statSync } = process.getBuiltinModule('node:fs');
const module = process.getBuiltinModule('node:module');
const { join } = process.getBuiltinModule('node:path');
const { fileURLToPath } = process.getBuiltinModule('node:url');
const v8 = process.getBuiltinModule('node:v8');

// Compiled code is kept between starts: reading and stripping a hundred source files is most of a start. It is run as it is found, so
// it is kept where only the owner of this account on the machine can write.
const ours = envPaths('personal-data-account', { suffix: '' });
module.enableCompileCache(process.env['PDA_CODE_CACHE'] ?? join(ours.cache, 'code'));

// What every start wants of Node. Node brings it compiled, and takes that only for as long as no flag of the engine was changed.
for (const part of ['crypto', 'fs/promises', 'http', 'net', 'stream/promises', 'timers/promises', 'worker_threads']) {
  process.getBuiltinModule(`node:${part}`);
}

// Loading leaves little behind; without this the heap would keep the room that it takes for a moment.
v8.setFlagsFromString('--semi-space-growth-factor=1');

const program = new URL('../../', import.meta.url).href;

/**
 * Whether the sources were packed into a few files (build/pack-server.ts) and none of them has changed since: opening four hundred takes longer than
 * all else that a start does (docs/adr/0021). `PDA_FROM_SOURCES` runs the sources in any case.
 */
const isPacked = () => {
  if (process.env['PDA_FROM_SOURCES'] === '1') return false;
  const root = fileURLToPath(program);
  try {
    /** @type {[path: string, changedMs: number, bytes: number][]} */
    const inputs = JSON.parse(readFileSync(join(root, 'dist/server/packed-from.json'), 'utf8'));
    return inputs.every(([path, changedMs, bytes]) => {
      const found = statSync(root + path, { throwIfNoEntry: false });
      return found?.mtimeMs === changedMs && found.size === bytes;
    });
  } catch {
    // Not there, or not whole: the sources always run.
    return false;
  }
};

// Node asks the disk for each source what it is, whether it is a link, and which package it belongs to: a third of the time that loading takes. What
// a file of this program, or of Zod, calls by its path is just there, and of the kind that its ending says.
const findOurs = () => {
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
};

/** @returns {Promise<typeof import('./commands.ts')>} */
const load = async () => {
  if (!isPacked()) {
    findOurs();
    return import('./commands.ts');
  }
  // Node keeps what is compiled when a file is loaded, and no more: all of a start's functions are, then. What is loaded later is compiled as it is
  // called.
  v8.setFlagsFromString('--no-lazy');
  try {
    // A path that is worked out, because it is not there before it was packed.
    return await import(new URL('dist/server/commands.js', program).href);
  } finally {
    v8.setFlagsFromString('--lazy');
  }
};

const { main } = await load();
process.exitCode = await main(process.argv);
