import { text } from 'node:stream/consumers';
import { CommanderError, InvalidArgumentError, type Command } from 'commander';
import { messageOf } from '../wire/values.ts';
import { asDiskFailure } from './io/file-system.ts';

const EXIT_OK = 0;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

export const print = (line: string): void => void process.stdout.write(`${line}\n`);

export const printError = (line: string): void => void process.stderr.write(`${line}\n`);

export const announcePreparation = (): void => printError('Preparing the database…');

export const parseOption =
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

/** Parses a port number, 0 to 65535. @throws InvalidArgumentError */
export const parsePort = (value: string): number => {
  const number = Number(value);
  if (value.trim() === '' || !Number.isInteger(number) || number < 0 || number > 65_535)
    throw new InvalidArgumentError('a port must be a number from 0 to 65535');
  return number;
};

/** Parses `http(s)://host[:port]` and returns the origin. @throws InvalidArgumentError */
export const parseBaseUrl = (value: string): string => {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/u.test(url.protocol) || url.href !== `${url.origin}/`)
    throw new InvalidArgumentError(
      'an address must start with http:// or https:// and contain only a host and an optional port',
    );
  return url.origin;
};

/** @throws InvalidArgumentError */
export const parseProxyCount = (value: string): number => {
  if (!/^\d$/u.test(value)) throw new InvalidArgumentError('the number of proxies must be 0 to 9');
  return Number(value);
};

export const collectOption =
  <T>(parse: (value: string) => T) =>
  (value: string, previousValues: T[] = []): T[] => [...previousValues, parse(value)];

/** Reads a password from stdin, without the trailing line break. */
export const readPassword = async (): Promise<string> => (await text(process.stdin)).replace(/\r?\n$/u, '');

const MEGABYTE = 1_000_000;
const PROGRESS_INTERVAL_MS = 200;

export const formatMegabytes = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`;

export const createProgressMeter = (
  label: string,
): { update(doneBytes: number, totalBytes: number): void; end(): void } => {
  let printedAt = 0;
  return {
    update(doneBytes, totalBytes) {
      if (!process.stderr.isTTY || Date.now() - printedAt < PROGRESS_INTERVAL_MS) return;
      printedAt = Date.now();
      process.stderr.write(
        `\r${label} ${formatMegabytes(doneBytes)} of ${formatMegabytes(Math.max(doneBytes, totalBytes))} `,
      );
    },
    end() {
      if (process.stderr.isTTY && printedAt > 0) process.stderr.write('\r\n');
    },
  };
};

/** Resolves with the reason to stop: on SIGTERM or SIGINT, or when the parent exits and closes the IPC channel. */
export const listenForStop = (): Promise<string> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
    process.once('disconnect', () => resolve('the parent process has exited'));
  });

/** Runs `main` with the arguments of this process and sets the exit code to its result. */
export const runProcess = async (main: (argv: readonly string[]) => Promise<number>): Promise<void> => {
  process.exitCode = await main(process.argv);
  // An open channel to the parent process would keep this process alive.
  if (process.connected) process.disconnect();
};

export const runCommandLine = async (program: Command, argv: readonly string[]): Promise<number> => {
  try {
    await program.exitOverride().parseAsync([...argv]);
    return EXIT_OK;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
    printError(messageOf(asDiskFailure(error)));
    return EXIT_FAILED;
  }
};
