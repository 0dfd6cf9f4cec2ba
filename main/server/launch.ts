import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Transform, type Readable } from 'node:stream';
import type { FromDesktopApp } from '../../server/wire/desktop.ts';

/** `env`: the server's environment, to which only `ALLOCATOR_SETTINGS` are added. */
export type ServerCommand = {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

export type ServerAnnouncement = {
  /**
   * `http://127.0.0.1:<port>`, for health checks: `localhost` could resolve to `[::1]`, where another program may
   * listen.
   */
  readonly listenAddress: string;
  /**
   * `http://localhost:<port>`, the origin of the dashboard: browsers accept passkeys for a name, never for an IP
   * address.
   */
  readonly address: string;
  readonly openUrl: string;
};

export type Exit =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'not-started'; readonly message: string };

export type ServerRun = {
  readonly pid: number | undefined;
  /**
   * Resolves when the process has exited and its stderr has been read, at most `OUTPUT_DRAIN_MS` after the exit, or
   * when the process could not be started. Never rejects.
   */
  readonly exit: Promise<Exit>;
  lastLines(): readonly string[];
  requestStop(): void;
  send(message: FromDesktopApp): boolean;
  kill(): void;
};

const ANNOUNCEMENT = /^pda listening on (?<address>http:\/\/127\.0\.0\.1:[1-9]\d{0,4})$/;
const OPEN_URL_LINE = /^open (?<url>http:\/\/\S+)$/;

const MAX_RECENT_LINES = 50;
/** Longer lines (a dump, binary data) are truncated, so that they cannot fill the memory or a dialog. */
const MAX_LINE_BYTES = 1_000;
/**
 * Time limit for reading the rest of stderr after the exit. It is reached only if a child process of the server holds
 * the pipe open.
 */
const OUTPUT_DRAIN_MS = 5_000;

/**
 * Environment variables that limit the memory of the server (glibc). Freed blocks of 256 KiB and more return to the
 * system; the default threshold grows to megabytes. Threads share two arenas; by default there are up to eight for each
 * processor.
 */
export const ALLOCATOR_SETTINGS = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144' } as const;

/**
 * Starts the server once. The process gets an IPC channel: if the app dies, the channel closes and the server stops by
 * itself instead of keeping the home locked. On POSIX the server leads its own process group, so that Ctrl-C in a
 * terminal reaches only the app, which shuts the server down cleanly.
 */
export function startServerRun(
  command: ServerCommand,
  handlers: {
    /** Called when the server listens: at its start, and after each restart within its process. */
    readonly onListening: () => void;
    readonly onAnnounced: (announcement: ServerAnnouncement) => void;
    readonly onLog: (line: string) => void;
    readonly onMessage: (message: unknown) => void;
  },
): ServerRun {
  const isPosix = process.platform !== 'win32';
  const child = spawn(command.program, command.args, {
    cwd: command.cwd,
    env: { ...ALLOCATOR_SETTINGS, ...command.env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: isPosix,
    windowsHide: true,
  });
  const { promise: exit, resolve } = Promise.withResolvers<Exit>();

  const recentLines: string[] = [];
  const addLine = (line: string): void => {
    recentLines.push(line);
    if (recentLines.length > MAX_RECENT_LINES) recentLines.shift();
  };
  const stderrEnd = forEachLine(child.stderr, (line) => {
    addLine(line);
    handlers.onLog(line);
  });

  child.on('message', handlers.onMessage);

  let origins: Pick<ServerAnnouncement, 'listenAddress' | 'address'> | undefined;
  void forEachLine(child.stdout, (line) => {
    const listenAddress = ANNOUNCEMENT.exec(line)?.groups?.['address'];
    if (listenAddress !== undefined && URL.canParse(listenAddress)) {
      // A server that restarts within its process keeps its port. Other addresses are not its own.
      if (origins !== undefined && listenAddress !== origins.listenAddress) return;
      origins = { listenAddress, address: `http://localhost:${new URL(listenAddress).port || '80'}` };
      handlers.onListening();
      handlers.onAnnounced({ ...origins, openUrl: `${origins.address}/` });
      return;
    }
    const url = OPEN_URL_LINE.exec(line)?.groups?.['url'];
    // Only addresses of this server count.
    if (origins !== undefined && url !== undefined && URL.parse(url)?.origin === origins.address)
      handlers.onAnnounced({ ...origins, openUrl: url });
  });

  child.once('error', (error) => {
    if (child.pid === undefined) resolve({ kind: 'not-started', message: error.message });
  });
  child.once('exit', (code, signal) => {
    const exitResult: Exit = code === null ? { kind: 'killed', signal: signal ?? 'unknown' } : { kind: 'exited', code };
    const timer = setTimeout(() => resolve(exitResult), OUTPUT_DRAIN_MS);
    void stderrEnd.then(() => {
      clearTimeout(timer);
      resolve(exitResult);
    });
  });

  const isAlive = (): boolean => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const send = (message: FromDesktopApp): boolean => {
    if (!isAlive() || !child.connected) return false;
    // Ignore errors: a broken channel means that the process is exiting, and its exit is reported.
    child.send(message, () => {});
    return true;
  };
  return {
    pid: child.pid,
    exit,
    lastLines: () => [...recentLines],
    requestStop() {
      if (!isAlive()) return;
      // Windows has no SIGTERM: kill() ends the process immediately.
      if (isPosix) child.kill('SIGTERM');
      else if (!send({ type: 'stop' })) child.kill();
    },
    send,
    kill() {
      if (!isAlive() || child.pid === undefined) return;
      try {
        // Kill the process group, so that no backup or transfer process outlives its server.
        process.kill(isPosix ? -child.pid : child.pid, 'SIGKILL');
      } catch {
        // The process has already exited.
      }
    },
  };
}

async function forEachLine(stream: Readable | null, onLine: (line: string) => void): Promise<void> {
  if (stream === null) return;
  const lines = createInterface({ input: stream.pipe(truncateLongLines()), crlfDelay: Infinity });
  try {
    for await (const line of lines) onLine(line);
  } catch {
    // A broken pipe ends the output.
  }
}

/** Drops the rest of a line after MAX_LINE_BYTES, because a stream without line breaks would fill the memory. */
function truncateLongLines(): Transform {
  let length = 0;
  return new Transform({
    decodeStrings: true,
    transform(chunk: Buffer, _encoding, callback) {
      const outputChunks: Buffer[] = [];
      let offset = 0;
      while (offset < chunk.length) {
        const lineBreak = chunk.indexOf('\n', offset);
        const end = lineBreak === -1 ? chunk.length : lineBreak;
        outputChunks.push(chunk.subarray(offset, Math.min(end, offset + Math.max(0, MAX_LINE_BYTES - length))));
        length += end - offset;
        if (lineBreak !== -1) {
          outputChunks.push(chunk.subarray(lineBreak, lineBreak + 1));
          length = 0;
        }
        offset = end + 1;
      }
      callback(null, Buffer.concat(outputChunks));
    },
  });
}
