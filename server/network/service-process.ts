import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../wire/values.ts';

const SERVER_FOLDER = dirname(dirname(fileURLToPath(import.meta.url)));
const PROGRAMS = {
  relay: 'relay/cli.ts',
  exchange: 'exchange/cli.ts',
  contracts: 'contracts/cli.ts',
  pda: 'pda/cli/main.js',
} as const;
export type Program = keyof typeof PROGRAMS;

/** Line that a server prints once it listens. A relay prints its domain and omits the default port. */
const LISTENING_LINE = /^\w+ listening on http:\/\/(?:127\.0\.0\.1|localhost)(?::(\d+))?$/mu;
const DEFAULT_HTTP_PORT = 80;
const LAST_LINES_COUNT = 5;
const LAST_OUTPUT_CHARACTERS = 10_000;
/** Time limit for a clean stop. A server's own deadline is shorter, but a slow machine can delay the stop. */
const STOP_TIMEOUT_MS = 60_000;

const IN_USE = /Another process is using/u;
/** Long enough for the slowest command, which creates an embedded database. */
const IN_USE_TIMEOUT_MS = 60_000;
const IN_USE_POLL_MS = 500;

const commandLineOf = (program: Program, args: readonly string[]): string[] => [
  join(SERVER_FOLDER, PROGRAMS[program]),
  ...args,
];

export type ProgramOptions = {
  input?: string;
  env: NodeJS.ProcessEnv;
  /** Called once if the command has to wait. */
  onWait?: ((reason: string) => void) | undefined;
};

const runOnce = async (program: Program, args: readonly string[], options: ProgramOptions): Promise<string> => {
  // Detached, so that Ctrl-C does not end the command before its folder is complete.
  const child = spawn(process.execPath, commandLineOf(program, args), { env: options.env, detached: true });
  // Writing fails if the command has exited. The exit code explains the failure.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code));
  });
  const [code, output, errors] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  if (code !== 0)
    throw new Error(`${program} ${args.slice(0, 2).join(' ')} failed: ${errors.trim() || `exit code ${code}`}`);
  return output;
};

/**
 * Resolves with the command's standard output. Waits if the folder of the command is in use, because the commands of a
 * killed start keep running for a moment.
 * @throws Error with the standard error if the command fails
 */
export const runProgram = async (
  program: Program,
  args: readonly string[],
  options: ProgramOptions,
): Promise<string> => {
  const deadline = performance.now() + IN_USE_TIMEOUT_MS;
  let isWaiting = false;
  for (;;) {
    try {
      return await runOnce(program, args, options);
    } catch (error) {
      if (!IN_USE.test(String(error)) || performance.now() > deadline) throw error;
      if (!isWaiting) options.onWait?.(messageOf(error));
      isWaiting = true;
    }
    await sleep(IN_USE_POLL_MS);
  }
};

/** Returns an error handler that runs `alternative` for errors with this message and rethrows all others. */
export const insteadOf =
  (message: RegExp, alternative: () => Promise<string>) =>
  (error: unknown): Promise<string> => {
    if (!message.test(String(error))) throw error;
    return alternative();
  };

export type Service = {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Sends SIGTERM, then SIGKILL after a timeout. Resolves with true if the server stopped cleanly or had exited. */
  stop(): Promise<boolean>;
};

const waitForExit = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    const reasonOf = (code: number | null, signal: NodeJS.Signals | null): string => String(signal ?? code);
    if (child.exitCode !== null || child.signalCode !== null) resolve(reasonOf(child.exitCode, child.signalCode));
    else child.once('exit', (code, signal) => resolve(reasonOf(code, signal)));
  });

/** Resolves when the server listens. @throws Error with the last output if the server exits before that */
export const startService = async (options: {
  name: string;
  program: Program;
  port?: number;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  logFile: string;
  onUnexpectedExit: (reason: string, lastLines: string[]) => void;
}): Promise<Service> => {
  const child = spawn(
    process.execPath,
    commandLineOf(options.program, ['serve', '--port', `${options.port ?? 0}`, ...options.args]),
    {
      env: options.env,
      // The IPC channel carries no messages. It closes when the parent exits, and the server then stops.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C signals all processes in the process group of this process. Each server has a separate process group,
      // so that this process can stop the servers in order.
      detached: true,
    },
  );
  const log = createWriteStream(options.logFile, { flags: 'a', mode: 0o600 });
  let lastOutput = '';
  let isStopping = false;
  let isListening = false;
  const killChild = (): void => void child.kill('SIGKILL');
  process.once('exit', killChild);
  const port = await new Promise<number>((resolve, reject) => {
    let startOutput = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        log.write(chunk);
        lastOutput = (lastOutput + chunk).slice(-LAST_OUTPUT_CHARACTERS);
        if (isListening) return;
        startOutput += chunk;
        const match = LISTENING_LINE.exec(startOutput);
        if (match === null) return;
        isListening = true;
        resolve(Number(match[1] ?? DEFAULT_HTTP_PORT));
      });
    child.once('error', reject);
    void waitForExit(child).then((reason) => {
      process.off('exit', killChild);
      const lines = lastOutput.trim().split('\n').slice(-LAST_LINES_COUNT);
      if (!isListening) reject(new Error(`${options.name} did not start (${reason}):\n${lines.join('\n')}`));
      else if (!isStopping) options.onUnexpectedExit(reason, lines);
    });
  });
  return {
    name: options.name,
    port,
    pid: child.pid ?? 0,
    async stop() {
      const hadExited = child.exitCode !== null || child.signalCode !== null;
      isStopping = true;
      const exit = waitForExit(child);
      child.kill('SIGTERM');
      const timer = setTimeout(killChild, STOP_TIMEOUT_MS);
      const reason = await exit;
      clearTimeout(timer);
      log.end();
      await finished(log);
      // If the server had already exited, `onUnexpectedExit` has reported that.
      return hadExited || reason === '0';
    },
  };
};
