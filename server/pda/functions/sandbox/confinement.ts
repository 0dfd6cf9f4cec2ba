import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants as fileConstants, readlinkSync, statSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { constants, setPriority } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { createFrameReader, encodeFrame } from './frames.ts';
import { MAX_LAST_WORDS_BYTES, MEGABYTE, NODE_FILE_BYTES, PROCESS_SHARE_OF_CAP } from './limits.ts';
import { readLinuxMemory } from './process-memory.ts';
import { startText } from './start-frame.ts';

/** How the process is held by the system, as found out on this machine. */
export type Confinement = {
  /** `closed`: the system gives the process no network. `unreachable`: only the process itself withholds it. */
  readonly network: 'closed' | 'unreachable';
  /** What goes before `node` on the command line. */
  readonly wrapper: readonly string[];
  /**
   * Bytes that the kernel counts as data and that are only reserved; known on Linux. With it the kernel itself holds the
   * cap (RLIMIT_DATA): no watchdog is quick enough for a guest that fills memory as fast as the machine can.
   */
  readonly reservedBytes: number | undefined;
  /** The addon's file for this machine. */
  readonly addon: string | undefined;
};

/** One run, for the system. */
export type RunPlan = {
  readonly folder: string;
  readonly module: string | undefined;
  readonly memoryMb: number;
  readonly timeoutMs: number;
};

const ENTRY_FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'functions-sandbox');
const ENTRY = join(ENTRY_FOLDER, 'sandbox.cjs');

/** From the strongest to the weakest; the first with which a sandbox starts is used. */
const WRAPPERS: Readonly<Partial<Record<NodeJS.Platform, readonly (readonly string[])[]>>> = {
  linux: [
    // A user namespace without rights and a network namespace without devices; ends with the server.
    ['unshare', '-U', '-n', 'setpriv', '--pdeathsig', 'KILL', '--no-new-privs'],
    ['unshare', '-U', '-n'],
    ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs'],
    [],
  ],
  darwin: [['sandbox-exec', '-p', '(version 1)(allow default)(deny network*)'], []],
};
const CLOSES_NETWORK = new Set(['unshare', 'sandbox-exec']);
const PROGRAMS = new Set([...CLOSES_NETWORK, 'setpriv']);
/** Standard folders, whatever PATH says: an app that was started by a click may have none. */
const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, fileConstants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Not there, or not to be run by us: looked for in the next place.
    return false;
  }
};

/**
 * The wrapper with its programs by their whole paths: from the PATH, then from where systems have them. One that is nowhere stays a name, and the try
 * says so. Entries of the PATH that are not whole paths are left out: they would be looked up in the folder of a function.
 */
const withWholePaths = (wrapper: readonly string[], path: string): readonly string[] => {
  const folders = [...path.split(delimiter).filter((folder) => isAbsolute(folder)), ...SYSTEM_FOLDERS];
  return wrapper.map((word) =>
    PROGRAMS.has(word) ? (folders.map((folder) => join(folder, word)).find(isProgram) ?? word) : word,
  );
};

/** Kilobytes of stack of each thread: its main thread needs one megabyte, the others are only counted. */
const STACK_KB = 2048;
/** Files that it may have open. */
const MAX_OPEN_FILES = 64;
/** Bytes of the name of the addon's file. */
export const MAX_PATH_BYTES = 4096;
/** Milliseconds for a sandbox to start when it is tried out: on a busy machine, too. */
const PROBE_MS = 20_000;

const packageFolder = (name: string, from: string): string => {
  const found = findPackageJSON(name, from);
  if (found === undefined) throw new Error(`the package ${name} is not installed`);
  return dirname(found);
};

/** Where a file of the addon may be, and what its package reads to pick one. */
const addonPlaces = (): string[] => {
  const isolatedVm = packageFolder('isolated-vm', import.meta.url);
  const finder = packageFolder('node-gyp-build', join(isolatedVm, 'package.json'));
  return [join(isolatedVm, '*'), join(finder, '*'), '/etc/alpine-release'];
};

/** Arguments of Node: the permission model refuses everything that is not listed. */
const nodeArguments = (addon: string | undefined, plan: RunPlan): string[] => {
  const reads = [
    join(ENTRY_FOLDER, '*'),
    ...(addon === undefined ? addonPlaces() : [addon]),
    join(plan.folder, '*'),
    ...(plan.module === undefined ? [] : [plan.module]),
  ];
  return [
    // isolated-vm's isolates do not fit into a process that was started from Node's snapshot: they crash, sometimes.
    '--no-node-snapshot',
    '--permission',
    '--allow-addons',
    ...reads.map((path) => `--allow-fs-read=${path}`),
    `--allow-fs-write=${join(plan.folder, '*')}`,
    '--no-warnings',
  ];
};

const shellLimits = (confinement: Confinement, plan: RunPlan): string => {
  // Ends by itself if server and clock are gone; garbage collection may keep several cores busy.
  const cpuSeconds = Math.ceil(plan.timeoutMs / 1000) * 4 + 10;
  const limits = ['-c 0', `-n ${MAX_OPEN_FILES}`, `-t ${cpuSeconds}`];
  if (process.platform === 'linux') {
    limits.push(`-s ${STACK_KB}`);
    if (confinement.reservedBytes !== undefined) {
      const own = plan.memoryMb * MEGABYTE * PROCESS_SHARE_OF_CAP - NODE_FILE_BYTES;
      limits.push(`-d ${Math.floor((confinement.reservedBytes + own) / 1024)}`);
    }
  }
  return limits.map((limit) => `ulimit ${limit}; `).join('');
};

/** A minimal environment without the server's variables, which may hold secrets. */
const bareEnvironment = (): NodeJS.ProcessEnv => {
  const systemRoot = process.env['SystemRoot'];
  return {
    TZ: Intl.DateTimeFormat().resolvedOptions().timeZone,
    PREBUILDS_ONLY: '1',
    ...(process.platform === 'linux' ? { MALLOC_ARENA_MAX: '2' } : {}),
    ...(systemRoot === undefined ? {} : { SystemRoot: systemRoot }),
  };
};

/** The complete command: confinement wrapper, Node and its arguments. */
const commandOf = (
  confinement: Confinement,
  plan: RunPlan,
  entry = ENTRY,
): { readonly program: string; readonly given: string[] } => {
  const node = [...nodeArguments(confinement.addon, plan), entry];
  if (confinement.addon !== undefined) node.push(confinement.addon);
  if (process.platform === 'win32') return { program: process.execPath, given: node };
  const script = `${shellLimits(confinement, plan)}exec "$@"`;
  return { program: '/bin/sh', given: ['-c', script, 'sh', ...confinement.wrapper, process.execPath, ...node] };
};

export const startSandbox = (confinement: Confinement, plan: RunPlan, entry = ENTRY): ChildProcess => {
  const { program, given } = commandOf(confinement, plan, entry);
  const child = spawn(program, given, {
    cwd: plan.folder,
    env: bareEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    // A Ctrl-C in the server's terminal is for the server, which then ends its runs in order.
    detached: process.platform !== 'win32',
  });
  if (child.pid !== undefined) giveWay(child.pid);
  return child;
};

/** Where there are no processors left over, the server comes first: a function may take all the time it has, but not from those who call. */
const giveWay = (pid: number): void => {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The process has already exited, or the system lacks the call. Best effort.
  }
};

/** What a process says before it dies, bounded. */
export const collectLastWords = (child: ChildProcess): (() => string) => {
  let words = '';
  child.stderr?.on('data', (piece: Buffer) => {
    if (words.length < MAX_LAST_WORDS_BYTES) words += piece.toString('latin1');
  });
  child.stderr?.on('error', () => undefined);
  return () => words.slice(0, MAX_LAST_WORDS_BYTES);
};

const netNamespace = (pid: number | 'self'): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    // Not Linux, or not ours to look at.
    return undefined;
  }
};

/** Of a stack on stderr the line that says what was wrong. */
const reasonIn = (words: string): string => {
  const lines = words.trim().split('\n');
  return lines.find((line) => line.includes('Error: ')) ?? lines[0] ?? '';
};

/** Starts a sandbox without a function and looks at it. @returns undefined when it did not start this way */
const tryOut = async (wrapper: readonly string[], folder: string): Promise<Confinement | { failed: string }> => {
  const bare: Confinement = { network: 'unreachable', wrapper, reservedBytes: undefined, addon: undefined };
  const plan: RunPlan = { folder, module: undefined, memoryMb: 128, timeoutMs: PROBE_MS };
  const child = startSandbox(bare, plan);
  const lastWords = collectLastWords(child);
  let timer: NodeJS.Timeout | undefined;
  try {
    const addon = await new Promise<string | undefined>((resolve) => {
      const failed = (): void => resolve(undefined);
      timer = setTimeout(failed, PROBE_MS);
      child.once('error', failed);
      // Not at its exit: what it said of it is still in the pipe.
      child.once('close', failed);
      const read = createFrameReader(
        { s: MAX_PATH_BYTES, f: 10_000, o: 0 },
        ({ kind, text }) => resolve(kind === 's' ? text : undefined),
        failed,
      );
      child.stdout?.on('data', read);
      child.stdin?.on('error', () => undefined);
      child.stdin?.write(encodeFrame('s', startText(plan)));
    });
    const { pid } = child;
    if (addon === undefined || pid === undefined) return { failed: reasonIn(lastWords()) };
    const memory = readLinuxMemory(pid);
    const own = netNamespace('self');
    const its = netNamespace(pid);
    const wrapped = CLOSES_NETWORK.has(basename(wrapper[0] ?? ''));
    return {
      network: wrapped && (own === undefined || its === undefined || own !== its) ? 'closed' : 'unreachable',
      wrapper,
      reservedBytes: memory === undefined ? undefined : memory.data - memory.anonymous,
      addon,
    };
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
};

/**
 * Finds out what this machine offers. Takes about as long as one run.
 *
 * @param path the PATH to look for the system's programs in first
 * @throws {Error} when no sandbox starts at all, in the words of the last try
 */
export const findConfinement = async (
  folder: string,
  wrappers = WRAPPERS[process.platform] ?? [[]],
  path = process.env['PATH'] ?? '',
): Promise<Confinement> => {
  let failed = '';
  for (const wrapper of wrappers) {
    const found = await tryOut(withWholePaths(wrapper, path), folder);
    if (!('failed' in found)) return found;
    failed = found.failed;
  }
  throw new Error(`the sandbox does not start on this machine: ${failed.slice(0, 200)}`);
};
