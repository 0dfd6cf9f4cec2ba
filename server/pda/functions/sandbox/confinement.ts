import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants as fileConstants, readlinkSync, statSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { constants, setPriority } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { createFrameReader, encodeFrame } from './frames.ts';
import { MAX_STDERR_BYTES, MEBIBYTE, NODE_FILE_BYTES, PROCESS_LIMIT_FACTOR } from './limits.ts';
import { readLinuxMemory } from './process-memory.ts';
import { startFrameText } from './start-frame.ts';

export type Confinement = {
  /** `closed`: the operating system blocks network access. `unreachable`: only the process itself does. */
  readonly network: 'closed' | 'unreachable';
  readonly wrapper: readonly string[];
  /**
   * Bytes that the kernel counts as data although they are only reserved; Linux only. They are added to RLIMIT_DATA,
   * with which the kernel enforces the cap. No watchdog is fast enough for a function that fills memory at full speed.
   */
  readonly reservedBytes: number | undefined;
  readonly addon: string | undefined;
};

/** `strongerProblem`: reason why a stronger confinement did not start; undefined if this is the strongest one. */
export type DetectedConfinement = Confinement & { readonly strongerProblem: string | undefined };

export type RunPlan = {
  readonly folder: string;
  readonly module: string | undefined;
  readonly memoryMb: number;
  readonly timeoutMs: number;
};

const ENTRY_FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'functions-sandbox');
const ENTRY = join(ENTRY_FOLDER, 'sandbox.cjs');

/** Confinement commands, strongest first. The first one with which a sandbox starts is used. */
const WRAPPERS: Readonly<Partial<Record<NodeJS.Platform, readonly (readonly string[])[]>>> = {
  linux: [
    // A user namespace without privileges and an unconnected network namespace. The process dies with the server.
    ['unshare', '-U', '-n', 'setpriv', '--pdeathsig', 'KILL', '--no-new-privs'],
    ['unshare', '-U', '-n'],
    ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs'],
    [],
  ],
  darwin: [['sandbox-exec', '-p', '(version 1)(allow default)(deny network*)'], []],
};
const NETWORK_BLOCKERS = new Set(['unshare', 'sandbox-exec']);
const PROGRAMS = new Set([...NETWORK_BLOCKERS, 'setpriv']);
/** Program folders of the system. PATH may lack them if the owner started the desktop app from its icon. */
const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, fileConstants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
};

/**
 * Replaces program names with absolute paths. Ignores relative entries of PATH, because they would resolve to the
 * folder of a function.
 */
const withAbsolutePaths = (wrapper: readonly string[], path: string): readonly string[] => {
  const folders = [...path.split(delimiter).filter((folder) => isAbsolute(folder)), ...SYSTEM_FOLDERS];
  return wrapper.map((argument) =>
    PROGRAMS.has(argument) ? (folders.map((folder) => join(folder, argument)).find(isProgram) ?? argument) : argument,
  );
};

/** Stack size of each thread. The main thread needs half of it; the other threads only reserve theirs. */
const STACK_KB = 2048;
const MAX_OPEN_FILES = 64;
export const ADDON_PATH_MAX_BYTES = 4096;
/** Time limit for a probe. A probe that times out on a busy machine would lead to a weaker confinement. */
const PROBE_TIMEOUT_MS = 120_000;
const PROBLEM_MAX_CHARS = 200;

const packageFolder = (name: string, from: string): string => {
  const file = findPackageJSON(name, from);
  if (file === undefined) throw new Error(`the package ${name} is not installed`);
  return dirname(file);
};

/** Returns the paths of possible addon binaries and of the files that the package reads to choose one. */
const addonCandidates = (): string[] => {
  const isolatedVm = packageFolder('isolated-vm', import.meta.url);
  const finder = packageFolder('node-gyp-build', join(isolatedVm, 'package.json'));
  return [join(isolatedVm, '*'), join(finder, '*'), '/etc/alpine-release'];
};

/** Node's permission model denies access to other files, child processes and worker threads. */
const nodeArguments = (addon: string | undefined, plan: RunPlan): string[] => {
  const reads = [
    join(ENTRY_FOLDER, '*'),
    ...(addon === undefined ? addonCandidates() : [addon]),
    join(plan.folder, '*'),
    ...(plan.module === undefined ? [] : [plan.module]),
  ];
  return [
    // Isolates of isolated-vm sometimes crash in a process that was started from Node's snapshot.
    '--no-node-snapshot',
    '--permission',
    '--allow-addons',
    ...reads.map((path) => `--allow-fs-read=${path}`),
    `--allow-fs-write=${join(plan.folder, '*')}`,
    '--no-warnings',
  ];
};

const shellLimits = (confinement: Confinement, plan: RunPlan): string => {
  // Limits the CPU time even if the server has ended. The factor allows for garbage collection on several cores.
  const cpuSeconds = Math.ceil(plan.timeoutMs / 1000) * 4 + 10;
  const limits = ['-c 0', `-n ${MAX_OPEN_FILES}`, `-t ${cpuSeconds}`];
  if (process.platform === 'linux') {
    limits.push(`-s ${STACK_KB}`);
    if (confinement.reservedBytes !== undefined) {
      const usableBytes = plan.memoryMb * MEBIBYTE * PROCESS_LIMIT_FACTOR - NODE_FILE_BYTES;
      limits.push(`-d ${Math.floor((confinement.reservedBytes + usableBytes) / 1024)}`);
    }
  }
  return limits.map((limit) => `ulimit ${limit}; `).join('');
};

/** Omits the server's other variables, which may contain secrets. */
const minimalEnvironment = (): NodeJS.ProcessEnv => {
  const systemRoot = process.env['SystemRoot'];
  return {
    TZ: Intl.DateTimeFormat().resolvedOptions().timeZone,
    PREBUILDS_ONLY: '1',
    ...(process.platform === 'linux' ? { MALLOC_ARENA_MAX: '2' } : {}),
    ...(systemRoot === undefined ? {} : { SystemRoot: systemRoot }),
  };
};

const commandOf = (
  confinement: Confinement,
  plan: RunPlan,
  entry = ENTRY,
): { readonly program: string; readonly args: string[] } => {
  const node = [...nodeArguments(confinement.addon, plan), entry];
  if (confinement.addon !== undefined) node.push(confinement.addon);
  if (process.platform === 'win32') return { program: process.execPath, args: node };
  const script = `${shellLimits(confinement, plan)}exec "$@"`;
  return { program: '/bin/sh', args: ['-c', script, 'sh', ...confinement.wrapper, process.execPath, ...node] };
};

export const startSandbox = (confinement: Confinement, plan: RunPlan, entry = ENTRY): ChildProcess => {
  const { program, args } = commandOf(confinement, plan, entry);
  const child = spawn(program, args, {
    cwd: plan.folder,
    env: minimalEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    // A separate process group: a Ctrl-C in the terminal must reach only the server, which then ends its runs.
    detached: process.platform !== 'win32',
  });
  if (child.pid !== undefined) lowerPriority(child.pid);
  return child;
};

/** Keeps the server responsive when all cores are busy. */
const lowerPriority = (pid: number): void => {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The process has already exited, or the system lacks the call. The priority then stays the same.
  }
};

export const collectStderr = (child: ChildProcess): (() => string) => {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    if (text.length < MAX_STDERR_BYTES) text += chunk.toString('latin1');
  });
  child.stderr?.on('error', () => undefined);
  return () => text.slice(0, MAX_STDERR_BYTES);
};

const netNamespace = (pid: number | 'self'): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
};

const errorLineOf = (stderr: string): string => {
  const lines = stderr.trim().split('\n');
  return lines.find((line) => line.includes('Error: ')) ?? lines[0] ?? '';
};

const probe = async (wrapper: readonly string[], folder: string): Promise<Confinement | { problem: string }> => {
  const candidate: Confinement = { network: 'unreachable', wrapper, reservedBytes: undefined, addon: undefined };
  const plan: RunPlan = { folder, module: undefined, memoryMb: 128, timeoutMs: PROBE_TIMEOUT_MS };
  const child = startSandbox(candidate, plan);
  const readStderr = collectStderr(child);
  let timer: NodeJS.Timeout | undefined;
  try {
    const response = await new Promise<{ addon: string } | { problem: string }>((resolve) => {
      const fail = (problem: string): void => resolve({ problem: errorLineOf(readStderr()) || problem });
      timer = setTimeout(() => fail('it does not respond'), PROBE_TIMEOUT_MS);
      child.once('error', (error) => fail(error.message));
      // Not 'exit': the pipes may still contain output.
      child.once('close', (code, signal) => fail(`it exited (${signal ?? `code ${code ?? 'unknown'}`})`));
      const read = createFrameReader(
        { s: ADDON_PATH_MAX_BYTES },
        ({ text }) => resolve({ addon: text }),
        () => fail('it sent an invalid frame'),
      );
      child.stdout?.on('data', read);
      child.stdin?.on('error', () => undefined);
      child.stdin?.write(encodeFrame('s', startFrameText(plan)));
    });
    const { pid } = child;
    if ('problem' in response) return response;
    if (pid === undefined) return { problem: 'it has no process id' };
    const memory = readLinuxMemory(pid);
    const serverNamespace = netNamespace('self');
    const childNamespace = netNamespace(pid);
    const isNetworkBlocker = NETWORK_BLOCKERS.has(basename(wrapper[0] ?? ''));
    return {
      network:
        isNetworkBlocker &&
        (serverNamespace === undefined || childNamespace === undefined || serverNamespace !== childNamespace)
          ? 'closed'
          : 'unreachable',
      wrapper,
      reservedBytes: memory === undefined ? undefined : memory.data - memory.anonymous,
      addon: response.addon,
    };
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
};

/**
 * Returns the strongest confinement with which a sandbox starts on this machine.
 * @param path PATH, searched before the system's program folders
 * @throws {Error} if no sandbox starts
 */
export const findConfinement = async (
  folder: string,
  wrappers = WRAPPERS[process.platform] ?? [[]],
  path = process.env['PATH'] ?? '',
): Promise<DetectedConfinement> => {
  let problem: string | undefined;
  for (const wrapper of wrappers) {
    const result = await probe(withAbsolutePaths(wrapper, path), folder);
    if (!('problem' in result)) return { ...result, strongerProblem: problem };
    problem = result.problem.slice(0, PROBLEM_MAX_CHARS);
  }
  throw new Error(`the sandbox does not start on this machine: ${problem}`);
};
