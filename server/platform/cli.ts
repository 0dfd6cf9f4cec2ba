import { text } from 'node:stream/consumers';
import { CommanderError, InvalidArgumentError, type Command } from 'commander';
import { messageOf } from '../wire/values.ts';
import { asDiskFailure } from './io/file-system.ts';

/** What the command lines of all servers have in common. */

/** Exit codes of every command. */
const FINE = 0;
const FAILED = 1;
const WRONG_ARGUMENTS = 2;

export const say = (line: string): void => void process.stdout.write(`${line}\n`);
/** Progress of a command that prepares its database. On stderr: stdout is for results. */
export const announcePreparation = (): void => complain('Preparing the database…');

export const complain = (line: string): void => void process.stderr.write(`${line}\n`);

/** An option's value as a schema reads it. */
export const parsed =
  <T>(schema: {
    safeParse(
      value: unknown,
    ): { success: true; data: T } | { success: false; error: { issues: { message: string }[] } };
  }) =>
  (value: string): T => {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    throw new InvalidArgumentError(result.error.issues[0]?.message ?? 'not valid');
  };

export const port = (value: string): number => {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new InvalidArgumentError('a port is a number from 0 to 65535');
  return number;
};

/** `http(s)://host[:port]`, and nothing behind it. */
export const baseUrl = (value: string): string => {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/u.test(url.protocol) || url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw new InvalidArgumentError('an address is http:// or https:// with a host');
  return url.origin;
};

/** How many balancers of one's own there are. */
export const proxies = (value: string): number => {
  if (!/^\d$/u.test(value)) throw new InvalidArgumentError('how many there are, from 0 to 9');
  return Number(value);
};

/** For options that may be given several times. */
export const repeated =
  <T>(read: (value: string) => T) =>
  (value: string, before: T[] = []): T[] => [...before, read(value)];

export const readPassword = async (): Promise<string> => (await text(process.stdin)).replace(/\r?\n$/u, '');

const MEGABYTE = 1_000_000;
const TELL_EVERY_MS = 200;

export const megabytes = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`;

/** Shows on a terminal how far it is, in bytes, and nowhere else. */
export const createMeter = (what: string): { tell(done: number, total: number): void; end(): void } => {
  let shown = 0;
  return {
    tell(done, total) {
      if (!process.stderr.isTTY || Date.now() - shown < TELL_EVERY_MS) return;
      shown = Date.now();
      process.stderr.write(`\r${what} ${megabytes(done)} of ${megabytes(Math.max(done, total))} `);
    },
    end() {
      if (process.stderr.isTTY && shown > 0) process.stderr.write('\r\n');
    },
  };
};

/** Hears how a server is told to stop: by a signal, or by the end of the program that started it and left a channel open to it. */
export const listenForStop = (): Promise<string> =>
  new Promise((resolve) => {
    const tell = (why: string): void => {
      // An open channel would keep the process alive.
      if (process.connected) process.disconnect();
      resolve(why);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => tell(signal));
    process.once('disconnect', () => tell('whoever started it is gone'));
  });

/** Runs a command line. Resolves with the exit code; one line on standard error says why it is not 0. */
export const runCommandLine = async (program: Command, argv: readonly string[]): Promise<number> => {
  try {
    await program.exitOverride().parseAsync([...argv]);
    return FINE;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? FINE : WRONG_ARGUMENTS;
    complain(messageOf(asDiskFailure(error)));
    return FAILED;
  }
};
