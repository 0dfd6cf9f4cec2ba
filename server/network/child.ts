import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

/** The programs as they ship, each a process of its own. */

const SERVER = dirname(dirname(fileURLToPath(import.meta.url)));
const PROGRAMS = {
  relay: 'relay/cli.ts',
  exchange: 'exchange/cli.ts',
  contracts: 'contracts/cli.ts',
  pda: 'pda/cli.ts',
} as const;
export type Program = keyof typeof PROGRAMS;

/** A relay says what it is called, and a port that goes without saying is not said. */
const LISTENING = /^\w+ listening on http:\/\/(?:127\.0\.0\.1|localhost)(?::(\d+))?$/mu;
const PLAIN_PORT = 80;
/** Lines of a log that are shown when its process has died. */
const LAST_LINES = 5;
/** Milliseconds for an ordered stop: a little more than a server gives itself. */
const STOP_MS = 10_000;

const argumentsOf = (program: Program, args: readonly string[]): string[] => [join(SERVER, PROGRAMS[program]), ...args];

/** What a command said on standard output. @throws Error with what it said on standard error */
export const runProgram = async (
  program: Program,
  args: readonly string[],
  options: { input?: string; env: NodeJS.ProcessEnv },
): Promise<string> => {
  const child = spawn(process.execPath, argumentsOf(program, args), { env: options.env });
  // One that has ended already reads nothing: its exit code says why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code));
  });
  const [code, out, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(`${program} ${args.slice(0, 2).join(' ')}: ${errors.trim() || `ended with ${code}`}`);
  return out;
};

export type Service = {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Asks it to stop, and ends it when it does not. Resolves with whether it stopped in order. */
  stop(): Promise<boolean>;
};

const endOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    const how = (code: number | null, signal: NodeJS.Signals | null): string => String(signal ?? code);
    if (child.exitCode !== null || child.signalCode !== null) resolve(how(child.exitCode, child.signalCode));
    else child.once('exit', (code, signal) => resolve(how(code, signal)));
  });

/** Starts a server. Resolves when it answers. */
export const startService = async (wanted: {
  name: string;
  program: Program;
  /** One of its own, when not given. */
  port?: number;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Where what it writes goes. */
  logFile: string;
  /** Hears when it has ended though nobody asked it to. */
  onDeath: (how: string, lastLines: string[]) => void;
}): Promise<Service> => {
  const child = spawn(
    process.execPath,
    argumentsOf(wanted.program, ['serve', '--port', `${wanted.port ?? 0}`, ...wanted.args]),
    {
      env: wanted.env,
      // The channel says nothing: that it breaks tells them that we are gone, whatever ended us.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C reaches every process of a terminal's group at once. These are stopped by us, in order.
      detached: true,
    },
  );
  const log = createWriteStream(wanted.logFile, { flags: 'a', mode: 0o600 });
  let last = '';
  let asked = false;
  let isUp = false;
  /** However we end, they end. */
  const endIt = (): void => void child.kill('SIGKILL');
  process.once('exit', endIt);
  const port = await new Promise<number>((resolve, reject) => {
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (part: string) => {
        log.write(part);
        last = (last + part).slice(-10_000);
        if (isUp) return;
        said += part;
        const found = LISTENING.exec(said);
        if (found === null) return;
        isUp = true;
        resolve(Number(found[1] ?? PLAIN_PORT));
      });
    child.once('error', reject);
    void endOf(child).then((how) => {
      process.off('exit', endIt);
      const lines = last.trim().split('\n').slice(-LAST_LINES);
      if (!isUp) reject(new Error(`${wanted.name} did not start (${how}):\n${lines.join('\n')}`));
      else if (!asked) wanted.onDeath(how, lines);
    });
  });
  return {
    name: wanted.name,
    port,
    pid: child.pid ?? 0,
    async stop() {
      const isGone = child.exitCode !== null || child.signalCode !== null;
      asked = true;
      const ended = endOf(child);
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      const how = await ended;
      clearTimeout(timer);
      log.end();
      await finished(log);
      // One that was gone before is no news.
      return isGone || how === '0';
    },
  };
};
