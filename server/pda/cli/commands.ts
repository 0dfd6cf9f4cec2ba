import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import module from 'node:module';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { printError, parseOption, parsePort, readPassword, runCommandLine, print } from '../../platform/cli.ts';
import { Failure } from '../../platform/failure.ts';
import { createLog, silentLog } from '../../platform/log.ts';
import { boundYoungGeneration } from '../../platform/service/heap-limit.ts';
import { endpointSchema } from '../../wire/common.ts';
import { pdaNameSchema } from '../../wire/owner.ts';
import { serveDesktop, tellCannotStart } from './desktop.ts';
import { addBackupCommands } from './backup.ts';
import { bringBackIn, makeCopyIn } from './copies.ts';
import { installFunction, listFunctions, removeFunction, tryFunction } from './functions.ts';
import { addMoveCommands } from './transfer.ts';
import { addReceiptCommands } from './receipts.ts';
import { createPda, type Pda } from '../pda.ts';
import { watchHome } from '../storage/home/monitor.ts';
import { VERSION } from '../core/version.ts';

/** Milliseconds after which the first callers have been answered, and what they did not need can be made ready. */
const CALM_AFTER_MS = 1000;

const PAGES = fileURLToPath(new URL('../../../renderer/dashboard/dist', import.meta.url));
const DOCS = fileURLToPath(new URL('../../../dist/docs', import.meta.url));

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

/** Opens a PDA that must exist: a mistyped folder must not become a new PDA. */
const withExistingPda = async <T>(home: string, work: (pda: Pda) => Promise<T>): Promise<T> => {
  if (!['', '-wal'].some((rest) => existsSync(join(home, `pda.sqlite${rest}`)))) throw notSetUp(home);
  return withPda(home, work);
};

const withOwner = <T>(home: string, work: (pda: Pda) => Promise<T>): Promise<T> =>
  withExistingPda(home, (pda) => {
    if (!pda.owner.isSetUp()) throw notSetUp(home);
    return work(pda);
  });

/** Listens for stop requests: signals, and the app that started the server. */
const listenForStop = (): { asked: Promise<string>; deaf: () => void } => {
  let tell: (why: string) => void = () => undefined;
  const asked = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const onTerm = (): void => tell('SIGTERM');
  const onInterrupt = (): void => tell('SIGINT');
  // The app that started the server has exited.
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
  // Node would end for it, and everybody who is answered with it.
  const onForgotten = (error: unknown): void => log.error({ err: error }, 'unhandled rejection');
  process.on('unhandledRejection', onForgotten);
  // Registered before slow work: the parent process may exit during a migration.
  const stop = listenForStop();
  let opening: NodeJS.Timeout | undefined;
  let { port } = options;
  let again = true;
  try {
    // Once more, at the same address, when everything is to be erased: the start does that, and waits for a new set-up. And when a backup was
    // restored in the set-up: the start puts it in its place.
    while (again) {
      again = false;
      const { promise: erasing, resolve: erase } = Promise.withResolvers<string>();
      const onEraseEverything = (): void => {
        again = true;
        erase('everything is to be erased');
      };
      const pda = await createPda({
        home: options.home,
        log,
        pages: PAGES,
        docs: DOCS,
        onEraseEverything,
        ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
      }).catch(async (error: unknown) => {
        await tellCannotStart(error);
        throw error;
      });
      const restored = pda.restored.then(() => {
        again = true;
        return 'a backup was restored';
      });
      const desktop = serveDesktop(pda, log);
      const watch = watchHome(options.home);
      try {
        const { url } = await pda.listen(port);
        port = Number(new URL(url).port);
        print(`pda listening on ${url}`);
        boundYoungGeneration();
        const code = pda.owner.setupCode();
        // By name: browsers accept passkeys for localhost, never for an IP address.
        if (code !== undefined) print(`open http://localhost:${port}/#/setup?code=${code}`);
        opening = setTimeout(() => {
          log.open();
          // Written now, because a killed server has no shutdown.
          module.flushCompileCache();
        }, CALM_AFTER_MS);
        log.info({ why: await Promise.race([stop.asked, watch.gone, erasing, restored]) }, 'stopping');
      } catch (error) {
        // Before the close: with a disk that is away that may take its time.
        await tellCannotStart(error);
        throw error;
      } finally {
        clearTimeout(opening);
        watch.close();
        desktop.close();
        await pda.close();
      }
    }
  } finally {
    stop.deaf();
    process.off('unhandledRejection', onForgotten);
  }
};

const importFiles = async (
  files: string[],
  options: { home: string; endpoint?: string; format?: 'json' | 'ndjson' | 'csv'; only?: string[] },
): Promise<void> => {
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) throw new Failure('not_found', `There is no file ${missing}.`);
  const { endpoint } = options;
  const [first = '', ...others] = files;
  if (endpoint !== undefined && others.length > 0)
    throw new Failure('invalid_input', 'Into one endpoint goes one file at a time.');
  const controller = new AbortController();
  const stop = (): void => controller.abort('stopping');
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
  let shown = 0;
  const work = withOwner(options.home, (pda) => {
    const told: Parameters<Pda['imports']['importExport']>[1] = {
      signal: controller.signal,
      onProgress: ({ added, skipped, bytes_read: bytesRead }, size) => {
        if (!process.stderr.isTTY || Date.now() - shown < 200) return;
        shown = Date.now();
        process.stderr.write(
          `\r${Math.floor((100 * bytesRead) / Math.max(1, size))} %  ${added} added, ${skipped} here already `,
        );
      },
    };
    if (endpoint === undefined)
      return pda.imports.importExport(files, {
        ...told,
        ...(options.only === undefined ? {} : { kinds: options.only }),
      });
    return pda.imports.importFile(first, endpoint, {
      ...told,
      ...(options.format === undefined ? {} : { format: options.format }),
    });
  });
  const job = await work.finally(() => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, stop);
  });
  if (process.stderr.isTTY) process.stderr.write('\r');
  print(
    `${job.added} added, ${job.skipped} here already${job.changed === 0 ? '' : `, ${job.changed} brought up to date`}`,
  );
  for (const kind of job.kinds) print(`  ${kind.endpoint}: ${kind.added} added, ${kind.same} here already`);
  if (job.troubles.count > 0) printError(`${job.troubles.count} entries could not be read:`);
  for (const { place, problem } of job.troubles.first) printError(`  ${place}: ${problem}`);
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
const writeNewFile = async (target: string, content: AsyncIterable<string | Buffer>): Promise<void> => {
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
    .requiredOption('--name <name>', 'name of the PDA', parseOption(pdaNameSchema))
    .requiredOption('--password-stdin', 'read the password from standard input')
    .action(async (options: { home: string; name: string }) => {
      const password = await readPassword();
      await withPda(options.home, (pda) => pda.owner.init(options.name, password));
      print(`PDA ${options.name} created in ${options.home}`);
    });

  program
    .command('serve')
    .description('run a PDA')
    .requiredOption(...home)
    .option('--port <n>', 'port on this machine; 0 picks one; the one it had before when not given', parsePort)
    .option('--public-url <url>', 'an address under which others reach it')
    .action(serve);

  program
    .command('import')
    .description(
      'store an export of another service (docs/importers.md), or the contents of a JSON, NDJSON or CSV file',
    )
    .requiredOption(...home)
    .option('--endpoint <ns/path>', 'where the elements of a JSON, NDJSON or CSV file go', parseOption(endpointSchema))
    .addOption(new Option('--format <format>', 'guessed when not given').choices(['json', 'ndjson', 'csv']))
    .option('--only <kinds...>', 'what of an export is wanted, by endpoint; all when not given')
    .argument('<files...>')
    .action(importFiles);

  program
    .command('export')
    .description('write the records of an endpoint')
    .requiredOption(...home)
    .requiredOption('--endpoint <ns/path>', 'which records', parseOption(endpointSchema))
    .addOption(new Option('--format <format>', 'of the file').choices(['ndjson', 'csv']).default('ndjson'))
    .option('--to <file>', 'a new file; standard output when not given')
    .action(exportEndpoint);

  const functions = program.command('function').description('functions over your data: install, remove, list, try');
  functions
    .command('install')
    .description('install a function package')
    .requiredOption(...home)
    .argument('<dir-or-zip>')
    .action((path: string, options: { home: string }) =>
      withOwner(options.home, async (pda) => installFunction(pda, path, print)),
    );
  functions
    .command('remove')
    .description('remove a function package; what it stored stays')
    .requiredOption(...home)
    .argument('<id>')
    .action((id: string, options: { home: string }) =>
      withOwner(options.home, async (pda) => removeFunction(pda, id, print)),
    );
  functions
    .command('list')
    .description('the functions that are known here')
    .requiredOption(...home)
    .action((options: { home: string }) => withOwner(options.home, async (pda) => listFunctions(pda, print)));
  functions
    .command('try')
    .description('run a package on the data that is here, and save nothing')
    .requiredOption(...home)
    .argument('<dir-or-zip>')
    .action((path: string, options: { home: string }) =>
      withOwner(options.home, async (pda) => tryFunction(pda, path, print, printError)),
    );

  const copies = program.command('copy').description('copies of the database from before an update');
  const called = ['--called <name>', 'name of the copy: letters, digits, dots and dashes'] as const;

  copies
    .command('make')
    .description('copy the database of a PDA that does not run')
    .requiredOption(...home)
    .requiredOption(...called)
    .action(async (options: { home: string; called: string }) => makeCopyIn(options.home, options.called, print));
  copies
    .command('bring-back')
    .description('go back to a copy if this version cannot work with the database as it is now')
    .requiredOption(...home)
    .requiredOption(...called)
    .action(async (options: { home: string; called: string }) => bringBackIn(options.home, options.called, print));

  addBackupCommands(program);
  addMoveCommands(program, withOwner);
  addReceiptCommands(program);

  program
    .command('verify')
    .description('check the database from end to end')
    .requiredOption(...home)
    .action((options: { home: string }) =>
      withExistingPda(options.home, async (pda) => {
        const problems = await pda.verify();
        if (problems.length > 0) throw new Failure('internal_error', `The database is damaged: ${problems[0] ?? ''}`);
        print('the database is sound');
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
      print('password changed; every session has ended');
    });

  program
    .command('second-factor')
    .description('what is asked for beside the password: switch it off, at the machine itself')
    .command('off')
    .description('forget the authenticator app, passkeys and recovery codes; the password is enough again')
    .requiredOption(...home)
    .action(async (options: { home: string }) => {
      const wasOn = await withOwner(options.home, (pda) => pda.secondFactor.reset());
      print(wasOn ? 'second factor is off; the password is enough' : 'second factor was off already');
    });

  return program;
};

/** Runs the command line. Resolves with the exit code. */
export const main = (argv: readonly string[]): Promise<number> => runCommandLine(buildProgram(), argv);
