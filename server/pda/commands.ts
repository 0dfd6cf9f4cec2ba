import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { complain, parsed, port, readPassword, runCommandLine, say } from '../platform/command-line.ts';
import { Failure } from '../platform/failure.ts';
import { createLog, silentLog } from '../platform/log.ts';
import { boundYoungGeneration } from '../platform/memory.ts';
import { endpointSchema } from '../wire/common.ts';
import { pdaNameSchema } from '../wire/owner.ts';
import { createPda, type Pda } from './pda.ts';
import { VERSION } from './version.ts';

/** Milliseconds after which the first callers have been answered, and what they did not need can be made ready. */
const CALM_AFTER_MS = 1000;

const PAGES = fileURLToPath(new URL('../../renderer/dist', import.meta.url));

/** Opens a home for one command, and closes it whatever happens. */
const withPda = async <T>(home: string, work: (pda: Pda) => Promise<T>): Promise<T> => {
  const pda = await createPda({ home, log: silentLog() });
  try {
    return await work(pda);
  } finally {
    await pda.close();
  }
};

const notSetUp = (home: string): Failure =>
  new Failure('not_set_up', `There is no PDA in ${home} yet. Make one with: pda init`);

/** The same for a PDA that must be there: a mistyped folder is not made into one. */
const withExistingPda = async <T>(home: string, work: (pda: Pda) => Promise<T>): Promise<T> => {
  if (!['', '-wal'].some((rest) => existsSync(join(home, `pda.sqlite${rest}`)))) throw notSetUp(home);
  return withPda(home, work);
};

const withOwner = <T>(home: string, work: (pda: Pda) => Promise<T>): Promise<T> =>
  withExistingPda(home, (pda) => {
    if (!pda.owner.isSetUp()) throw notSetUp(home);
    return work(pda);
  });

/** Hears the ways in which a server is told to stop: signals, and the app that started it. */
const listenForStop = (): { asked: Promise<string>; deaf: () => void } => {
  let tell: (why: string) => void = () => undefined;
  const asked = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const onTerm = (): void => tell('SIGTERM');
  const onInterrupt = (): void => tell('SIGINT');
  // Without the app that started it there is nobody to serve for.
  const onDisconnect = (): void => tell('the app is gone');
  const onMessage = (message: unknown): void => {
    if (typeof message === 'object' && message !== null && 'type' in message && message.type === 'stop')
      tell('asked by the app');
  };
  process.on('SIGTERM', onTerm);
  process.on('SIGINT', onInterrupt);
  process.on('message', onMessage);
  process.on('disconnect', onDisconnect);
  return {
    asked,
    deaf() {
      process.off('message', onMessage);
      process.off('disconnect', onDisconnect);
      // An open channel would keep the process alive.
      if (process.connected) process.disconnect();
    },
  };
};

const serve = async (options: { home: string; port?: number; publicUrl?: string }): Promise<void> => {
  const log = createLog();
  // Before anything that takes long: whoever started this may go away in the middle of a migration.
  const stop = listenForStop();
  let opening: NodeJS.Timeout | undefined;
  try {
    const pda = await createPda({
      home: options.home,
      log,
      pages: PAGES,
      ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
    });
    try {
      const { url } = await pda.listen(options.port);
      boundYoungGeneration();
      say(`pda listening on ${url}`);
      const code = pda.owner.setupCode();
      if (code !== undefined) say(`open ${url}/#/setup?code=${code}`);
      opening = setTimeout(() => log.open(), CALM_AFTER_MS);
      log.info({ why: await stop.asked }, 'stopping');
    } finally {
      clearTimeout(opening);
      await pda.close();
    }
  } finally {
    stop.deaf();
  }
};

const importFile = async (
  file: string,
  options: { home: string; endpoint: string; format?: 'json' | 'ndjson' | 'csv' },
): Promise<void> => {
  if (!existsSync(file)) throw new Failure('not_found', `There is no file ${file}.`);
  const controller = new AbortController();
  const stop = (): void => controller.abort('stopping');
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
  let shown = 0;
  const work = withOwner(options.home, (pda) =>
    pda.imports.importFile(file, options.endpoint, {
      ...(options.format === undefined ? {} : { format: options.format }),
      signal: controller.signal,
      onProgress: ({ added, skipped, bytes_read: bytesRead }, size) => {
        if (!process.stderr.isTTY || Date.now() - shown < 200) return;
        shown = Date.now();
        process.stderr.write(
          `\r${Math.floor((100 * bytesRead) / Math.max(1, size))} %  ${added} added, ${skipped} here already `,
        );
      },
    }),
  );
  const job = await work.finally(() => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, stop);
  });
  if (process.stderr.isTTY) process.stderr.write('\r');
  say(`${job.added} added, ${job.skipped} here already`);
  if (job.state === 'running') {
    throw new Failure('wrong_state', 'Stopped. Run the same command again to go on from here.');
  }
  if (job.error !== null) {
    const where = job.error.line === null ? '' : `line ${job.error.line}: `;
    const problem = job.error.problem.replace(/\.$/u, '');
    throw new Failure('invalid_input', `${where}${problem}. Everything before it was stored.`);
  }
};

/** A file gets its name when it is whole: one that broke off is not taken for an export. */
const writeNewFile = async (target: string, content: AsyncIterable<string>): Promise<void> => {
  if (existsSync(target)) throw new Failure('already_exists', `${target} is there already. Choose another name.`);
  const unfinished = `${target}.unfinished`;
  try {
    await pipeline(content, createWriteStream(unfinished, { mode: 0o600, flush: true }));
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
};

const exportEndpoint = (options: {
  home: string;
  endpoint: string;
  format: 'ndjson' | 'csv';
  to?: string;
}): Promise<void> =>
  withOwner(options.home, async (pda) => {
    const content = pda.exports.stream(options.endpoint, options.format);
    if (options.to === undefined) await pipeline(content, process.stdout, { end: false });
    else await writeNewFile(options.to, content);
  });

const buildProgram = (): Command => {
  const program = new Command('pda')
    .description('A server of your own for your own data.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError();
  const home = ['--home <dir>', 'the folder that is the PDA'] as const;

  program
    .command('init')
    .description('create a PDA without the wizard')
    .requiredOption(...home)
    .requiredOption('--name <name>', 'name of the PDA', parsed(pdaNameSchema))
    .requiredOption('--password-stdin', 'read the password from standard input')
    .action(async (options: { home: string; name: string }) => {
      const password = await readPassword();
      await withPda(options.home, (pda) => pda.owner.init(options.name, password));
      say(`PDA ${options.name} created in ${options.home}`);
    });

  program
    .command('serve')
    .description('run a PDA')
    .requiredOption(...home)
    .option('--port <n>', 'port on this machine; 0 picks one; the one it had before when not given', port)
    .option('--public-url <url>', 'an address under which others reach it')
    .action(serve);

  program
    .command('import')
    .description('store the contents of a JSON, NDJSON or CSV file')
    .requiredOption(...home)
    .requiredOption('--endpoint <ns/path>', 'where the records go', parsed(endpointSchema))
    .addOption(new Option('--format <format>', 'guessed when not given').choices(['json', 'ndjson', 'csv']))
    .argument('<file>')
    .action(importFile);

  program
    .command('export')
    .description('write the records of an endpoint')
    .requiredOption(...home)
    .requiredOption('--endpoint <ns/path>', 'which records', parsed(endpointSchema))
    .addOption(new Option('--format <format>', 'of the file').choices(['ndjson', 'csv']).default('ndjson'))
    .option('--to <file>', 'a new file; standard output when not given')
    .action(exportEndpoint);

  const functions = program.command('function').description('functions over your data: install, remove, list, try');
  /** What they do is loaded when they are asked for. */
  const functionCommands = () => import('./commands-functions.ts');

  functions
    .command('install')
    .description('install a function package')
    .requiredOption(...home)
    .argument('<dir-or-zip>')
    .action((path: string, options: { home: string }) =>
      withOwner(options.home, async (pda) => (await functionCommands()).installFunction(pda, path, say)),
    );
  functions
    .command('remove')
    .description('remove a function package; what it stored stays')
    .requiredOption(...home)
    .argument('<id>')
    .action((id: string, options: { home: string }) =>
      withOwner(options.home, async (pda) => (await functionCommands()).removeFunction(pda, id, say)),
    );
  functions
    .command('list')
    .description('the functions that are known here')
    .requiredOption(...home)
    .action((options: { home: string }) =>
      withOwner(options.home, async (pda) => (await functionCommands()).listFunctions(pda, say)),
    );
  functions
    .command('try')
    .description('run a package on the data that is here, and save nothing')
    .requiredOption(...home)
    .argument('<dir-or-zip>')
    .action((path: string, options: { home: string }) =>
      withOwner(options.home, async (pda) => (await functionCommands()).tryFunction(pda, path, say, complain)),
    );

  program
    .command('verify')
    .description('check the database from end to end')
    .requiredOption(...home)
    .action((options: { home: string }) =>
      withExistingPda(options.home, async (pda) => {
        const problems = await pda.verify();
        if (problems.length > 0) throw new Failure('internal_error', `The database is damaged: ${problems[0] ?? ''}`);
        say('the database is sound');
      }),
    );

  program
    .command('password')
    .description('set a new password, at the machine itself; every session ends')
    .requiredOption(...home)
    .requiredOption('--password-stdin', 'read the new password from standard input')
    .action(async (options: { home: string }) => {
      const password = await readPassword();
      await withOwner(options.home, (pda) => pda.owner.resetPassword(password));
      say('password changed; every session has ended');
    });

  return program;
};

/** Runs the command line. Resolves with the exit code. */
export const main = (argv: readonly string[]): Promise<number> => runCommandLine(buildProgram(), argv);
