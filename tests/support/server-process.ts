import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createPda } from '../../server/pda/pda.ts';
import { silentLog } from '../../server/platform/log.ts';
import { send, type Call, type Reply } from './http.ts';
import { NODE, ROOT } from './paths.ts';
import { OWNER } from './test-pda.ts';

// The programs as they ship: separate processes, driven by arguments, signals and HTTP.

const PDA_PROGRAM = 'server/pda/cli/main.js';
const LISTENING_LINE = /^\w+ listening on http:\/\/127\.0\.0\.1:(\d+)$/mu;

type ExitStatus = { code: number | null; signal: NodeJS.Signals | null };
type SpawnOptions = {
  /** Path in the repository; the PDA by default. */
  program?: string;
  uid?: number;
  /** A program and its arguments. It starts the command as its child process. */
  wrapper?: readonly string[];
  env?: NodeJS.ProcessEnv;
};

/** Folders of the running test file, removed at its end. */
const folders: string[] = [];
export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pda-process-'));
  folders.push(folder);
  return folder;
};
export const removeFolders = (): void => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
};

const runningProcesses = new Set<ChildProcess>();
const launch = (args: readonly string[], options: SpawnOptions = {}): ChildProcess => {
  const { program = PDA_PROGRAM, wrapper = [], ...spawnOptions } = options;
  const [command = NODE, ...commandArgs] = [...wrapper, NODE, join(ROOT, program), ...args];
  const child = spawn(command, commandArgs, {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, PDA_LOG_LEVEL: 'warn' },
    ...spawnOptions,
  });
  runningProcesses.add(child);
  child.once('exit', () => runningProcesses.delete(child));
  return child;
};

/** Kills processes that a failed test left running. */
export const killProcesses = async (): Promise<void> => {
  const exits = [...runningProcesses].map((child) => waitForExit(child));
  for (const child of runningProcesses) child.kill('SIGKILL');
  await Promise.all(exits);
};

const waitForExit = (child: ChildProcess): Promise<ExitStatus> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve({ code: child.exitCode, signal: child.signalCode });
      return;
    }
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });

export type CommandResult = ExitStatus & { stdout: string; stderr: string };
type RunningCommand = {
  child: ChildProcess;
  kill(signal: NodeJS.Signals): void;
  finished: Promise<CommandResult>;
};

/** Starts a command without waiting for its end. */
export const startCommand = (
  args: readonly string[],
  options: SpawnOptions & { input?: string } = {},
): RunningCommand => {
  const { input, ...spawnOptions } = options;
  const child = launch(args, spawnOptions);
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('the pipes are missing');
  stdin.on('error', () => undefined);
  stdin.end(input ?? '');
  const finished = Promise.all([waitForExit(child), text(stdout), text(stderr)]).then(
    ([exitStatus, stdoutText, stderrText]) => ({ ...exitStatus, stdout: stdoutText, stderr: stderrText }),
  );
  return { child, kill: (signal) => void child.kill(signal), finished };
};

export const runCommand = (
  args: readonly string[],
  options: SpawnOptions & { input?: string } = {},
): Promise<CommandResult> => startCommand(args, options).finished;

/**
 * A home as created by `pda init`. All test files of this process copy it, because creating keys costs more than most
 * tests.
 */
let template: Promise<string> | undefined;
const makeTemplate = async (): Promise<string> => {
  const home = mkdtempSync(join(tmpdir(), 'pda-process-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  const pda = await createPda({ home, log: silentLog() });
  await pda.owner.init(OWNER.name, OWNER.password);
  await pda.close();
  return home;
};

export const newHome = async (home: string = join(newFolder(), 'home')): Promise<string> => {
  template ??= makeTemplate();
  cpSync(await template, home, { recursive: true });
  return home;
};

export type ServerProcess = {
  readonly pid: number;
  readonly port: number;
  /** CPU time of all threads until the server listened, in milliseconds; 0 on systems without /proc. */
  readonly startupCpuMs: number;
  /** Returns everything written to standard error so far. */
  stderr(): string;
  signIn(): Promise<void>;
  /** Sends a request, with the owner's token once signed in. Rejects if the connection breaks. */
  call(method: string, path: string, call?: Call): Promise<Reply>;
  /** Kills the server with SIGKILL. */
  kill(): Promise<ExitStatus>;
  /** Stops the server gracefully with SIGTERM. */
  stop(): Promise<ExitStatus>;
};

type StartingServer = { child: ChildProcess; ready: Promise<ServerProcess>; output(): string };

/** Starts a server on a free port without waiting until it responds. */
const spawnProgram = (args: readonly string[], options: SpawnOptions): StartingServer => {
  const child = launch(['serve', '--port', '0', ...args], options);
  let output = '';
  let errors = '';
  child.stdout?.setEncoding('utf8');
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  const ready = new Promise<ServerProcess>((resolve, reject) => {
    child.once('exit', (code, signal) => reject(new Error(`the server exited (${code ?? signal}): ${errors}`)));
    child.stdout?.on('data', (chunk: string) => {
      output += chunk;
      const port = LISTENING_LINE.exec(output)?.[1];
      if (port !== undefined) resolve(serverOn(child, Number(port), () => errors));
    });
  });
  // A caller that stops a starting server does not await `ready`.
  ready.catch(() => undefined);
  return { child, ready, output: () => output };
};

/** Starts a PDA without waiting until it responds. */
export const spawnServer = (home: string, options: SpawnOptions = {}): StartingServer =>
  spawnProgram(['--home', home], options);

/** Starts a service, such as the exchange. */
export const startService = (program: string, args: readonly string[]): Promise<ServerProcess> =>
  spawnProgram(args, { program }).ready;

export const startServer = async (home: string, options: SpawnOptions = {}): Promise<ServerProcess> => {
  const server = await spawnServer(home, options).ready;
  await server.signIn();
  return server;
};

/** Returns the CPU time of a process in milliseconds; 0 on systems without /proc. */
const cpuMsOf = (pid: number): number => {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  // Fields 14 and 15 are user and system time in hundredths of a second; only the name, field 2, can contain spaces.
  const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

const serverOn = (child: ChildProcess, port: number, errors: () => string): ServerProcess => {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  let token = '';
  const end = async (signal: NodeJS.Signals): Promise<ExitStatus> => {
    const exit = waitForExit(child);
    child.kill(signal);
    const result = await exit;
    agent.destroy();
    return result;
  };
  return {
    pid: child.pid ?? 0,
    port,
    startupCpuMs: cpuMsOf(child.pid ?? 0),
    stderr: errors,
    call: (method, path, call = {}) =>
      send(port, agent, method, path, { ...call, token: call.token === undefined ? token : call.token }),
    async signIn() {
      const headers = { username: OWNER.name, password: encodeURIComponent(OWNER.password) };
      const reply = await send(port, agent, 'GET', '/users/access_token', { headers });
      token = (reply.json as { accessToken?: string }).accessToken ?? '';
      if (token === '') throw new Error(`sign-in was refused: ${reply.text}`);
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
};

/** Polls until a condition is true. @returns its value @throws {Error} on timeout */
export const until = async <T>(
  check: () => T | undefined | false | Promise<T | undefined | false>,
  condition: string,
  limitMs = 120_000,
): Promise<T> => {
  const start = performance.now();
  for (;;) {
    const result = await check();
    if (result !== undefined && result !== false) return result;
    const waitedMs = performance.now() - start;
    if (waitedMs > limitMs) throw new Error(`timeout while waiting until ${condition}`);
    // Polls less often after a second, because a check may be a request.
    await new Promise((resolve) => setTimeout(resolve, waitedMs > 1000 ? 50 : 10));
  }
};

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
