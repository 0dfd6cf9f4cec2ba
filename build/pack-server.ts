import { build, type Plugin } from 'esbuild';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { askForBuiltins } from './builtin-imports.ts';
import { forgetPacked, INSTALLED, inputOf, isPacked, PACKED, writePackedFrom } from './packed.ts';

/** Files that are started by themselves, each under its own name: the program, its threads, and what only an older database needs. */
const STARTED = {
  commands: 'server/pda/commands.ts',
  'storage-thread': 'server/pda/storage/thread.ts',
  'intake-thread': 'server/pda/files/intake-thread.ts',
  'watch-thread': 'server/pda/files/watch-thread.ts',
  'import-thread': 'server/pda/imports/known/thread.ts',
  'bcrypt-thread': 'server/pda/owner/bcrypt-thread.ts',
  'strength-thread': 'server/pda/owner/strength-thread.ts',
  'backup-thread': 'server/pda/backup/work-thread.ts',
  'backup-work': 'server/pda/backup/work.ts',
  'move-work': 'server/pda/pda-move.ts',
  'sandbox-thread': 'server/pda/functions/sandbox/host-thread.ts',
  'sql-functions': 'server/pda/queries/sql-functions.ts',
  migrations: 'server/pda/storage/migrations/all.ts',
} as const;

/** Packages that are packed with our files because every start loads them. The others stay where they are, and are loaded when they are wanted. */
const PACKED_PACKAGES = /^(?:zod|commander|helmet)(?:\/|$)/u;

const slashes = (path: string): string => path.split(sep).join('/');

/**
 * A source's own place, for what it finds beside itself: pages, the sandbox, its threads. The packed file stands in for it from where that is;
 * threads are packed files themselves.
 */
const places = (root: string): Plugin => {
  const out = join(root, PACKED);
  const started = new Map(Object.entries(STARTED).map(([name, path]) => [join(root, path), join(out, `${name}.js`)]));
  return {
    name: 'places',
    setup(bundler) {
      bundler.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const folder = dirname(path);
        const text = readFileSync(path, 'utf8')
          .replaceAll(
            /(?<before>(?:new URL|require)\()'(?<file>[^']+\.ts)'/gu,
            (whole, before: string, file: string) => {
              const packed = started.get(resolve(folder, file));
              return packed === undefined ? whole : `${before}'${slashes(relative(folder, packed))}'`;
            },
          )
          .replaceAll('import.meta.dirname', `process.getBuiltinModule('node:path').dirname(import.meta.filename)`)
          .replaceAll('import.meta.filename', `process.getBuiltinModule('node:url').fileURLToPath(import.meta.url)`)
          .replaceAll('import.meta.url', `new URL('${slashes(relative(out, path))}', import.meta.url).href`);
        return { contents: text, loader: 'ts' };
      });
      // Commander starts programs of others for subcommands that are files of their own, which ours are not: Node's part for that is not loaded for it.
      bundler.onLoad({ filter: /\/commander\/lib\/command\.js$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8').replace(
          /^import childProcess from 'node:child_process';$/m,
          `const childProcess = { spawn: (...given) => process.getBuiltinModule('node:child_process').spawn(...given) };`,
        ),
        loader: 'js',
      }));
      // Zod's messages in sixty languages, of which English is used.
      bundler.onResolve({ filter: /\/locales\/index\.js$/ }, ({ resolveDir }) => ({
        path: resolve(resolveDir, '../locales/en.js'),
      }));
      bundler.onResolve({ filter: /^[^.]/ }, ({ path, kind }) =>
        kind === 'entry-point' || path.startsWith('/') || PACKED_PACKAGES.test(path)
          ? undefined
          : { path, external: true },
      );
    },
  };
};

/** Milliseconds. A server that still runs from older parts may want one more of them. */
const KEEP_OLD_MS = 86_400_000;

const removeOld = (out: string, current: ReadonlySet<string>): void => {
  for (const name of readdirSync(out)) {
    const path = join(out, name);
    if (name.endsWith('.js') && !current.has(name) && Date.now() - statSync(path).mtimeMs > KEEP_OLD_MS) rmSync(path);
  }
};

/**
 * Packs the account server into a few files: opening four hundred takes longer than all else that a start does. The sources stay what runs when
 * anything of them has changed since (docs/adr/0021). Does nothing when what is there is of these very sources.
 *
 * @throws {Error} of esbuild when a source does not bundle; then nothing counts as packed
 */
export const packServer = async (root: string): Promise<void> => {
  if (isPacked(root)) return;
  const out = join(root, PACKED);
  forgetPacked(root);
  const { metafile, outputFiles } = await build({
    write: false,
    absWorkingDir: root,
    entryPoints: { ...STARTED },
    outdir: out,
    bundle: true,
    splitting: true,
    metafile: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    legalComments: 'eof',
    logLevel: 'silent',
    plugins: [places(root)],
  });
  mkdirSync(out, { recursive: true });
  for (const { path, text } of outputFiles) writeFileSync(path, askForBuiltins(text));
  removeOld(out, new Set(Object.keys(metafile.outputs).map((path) => basename(path))));
  const sources = Object.keys(metafile.inputs).filter((path) => !path.startsWith('node_modules/'));
  writePackedFrom(
    root,
    [INSTALLED, 'build/pack-server.ts', 'build/builtin-imports.ts', ...sources].map((path) => inputOf(root, path)),
  );
};

if (import.meta.main) await packServer(dirname(import.meta.dirname));
