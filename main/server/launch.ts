import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Transform, type Readable } from 'node:stream';
import type { FromShell } from '../../server/wire/desktop.ts';

/** How to start the server: program, arguments and the complete environment. */
export type ServerCommand = {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Addresses that the server announces when it is ready. */
export type ServerAnnouncement = {
  /**
   * `http://127.0.0.1:<port>`: the socket of the server, for health checks. Another program may listen on the same
   * port of `[::1]`.
   */
  readonly listenAddress: string;
  /**
   * `http://localhost:<port>`: the origin of the dashboard. Browsers accept passkeys for a name, never for an IP
   * address.
   */
  readonly address: string;
  /** URL to open first: the set-up page with its one-time code, or the start page. */
  readonly openUrl: string;
};

export type Exit =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'not-started'; readonly message: string };

/** One run of the server process. */
export type ServerRun = {
  readonly pid: number | undefined;
  /** Resolves once, after the process has exited and its output was read. Never rejects. */
  readonly exit: Promise<Exit>;
  /** Returns the last lines of its stderr. */
  lastLines(): readonly string[];
  /** Requests an orderly stop. */
  requestStop(): void;
  /** Sends a message over the IPC channel. Returns false if the channel is closed. */
  send(message: FromShell): boolean;
  /** Kills the process and its children at once. */
  kill(): void;
};

const ANNOUNCEMENT = /^pda listening on (?<address>http:\/\/127\.0\.0\.1:[1-9]\d{0,4})$/;
const OPEN_LINE = /^open (?<url>http:\/\/\S+)$/;

/** Number of lines that are kept: enough for a stack trace and its context. */
const MAX_LINES = 50;
/** Longer lines (a dump, binary data) are cut, so that they cannot fill the memory or a dialog. */
const MAX_LINE_CHARS = 1_000;
/** Milliseconds to read remaining output after the exit. A child of the process may hold its pipes open. */
const OUTPUT_DRAIN_MS = 500;

/**
 * Starts the server once and reads its output. The process gets an IPC channel: if the app dies, the channel closes
 * and the server stops by itself instead of keeping the home locked. On POSIX it leads its own process group, so that
 * Ctrl-C in a terminal reaches only the app and the stop stays orderly.
 */
export function startServerRun(
  command: ServerCommand,
  listen: {
    readonly onAnnounced: (announced: ServerAnnouncement) => void;
    readonly onLog: (line: string) => void;
    readonly onMessage: (message: unknown) => void;
  },
): ServerRun {
  const posix = process.platform !== 'win32';
  const child = spawn(command.program, command.args, {
    cwd: command.cwd,
    // glibc: return freed blocks of 256 KiB and more to the system. By default it soon keeps blocks of megabytes.
    env: { MALLOC_MMAP_THRESHOLD_: '262144', ...command.env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: posix,
    windowsHide: true,
  });
  const { promise: exit, resolve } = Promise.withResolvers<Exit>();

  const recentLines: string[] = [];
  const addLine = (line: string): void => {
    recentLines.push(line);
    if (recentLines.length > MAX_LINES) recentLines.shift();
  };
  const errorsRead = eachLine(child.stderr, (line) => {
    addLine(line);
    listen.onLog(line);
  });

  child.on('message', listen.onMessage);

  let origins: Pick<ServerAnnouncement, 'listenAddress' | 'address'> | undefined;
  void eachLine(child.stdout, (line) => {
    const announced = ANNOUNCEMENT.exec(line)?.groups?.['address'];
    if (origins === undefined && announced !== undefined && URL.canParse(announced)) {
      origins = { listenAddress: announced, address: `http://localhost:${new URL(announced).port || '80'}` };
      listen.onAnnounced({ ...origins, openUrl: `${origins.address}/` });
      return;
    }
    const url = OPEN_LINE.exec(line)?.groups?.['url'];
    // The window opens pages of this server only.
    if (origins !== undefined && url !== undefined && URL.parse(url)?.origin === origins.address)
      listen.onAnnounced({ ...origins, openUrl: url });
  });

  child.once('error', (error) => {
    if (child.pid === undefined) resolve({ kind: 'not-started', message: error.message });
  });
  child.once('exit', (code, signal) => {
    const end: Exit = code === null ? { kind: 'killed', signal: signal ?? 'unknown' } : { kind: 'exited', code };
    const timer = setTimeout(() => resolve(end), OUTPUT_DRAIN_MS);
    void errorsRead.then(() => {
      clearTimeout(timer);
      resolve(end);
    });
  });

  const alive = (): boolean => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const send = (message: FromShell): boolean => {
    if (!alive() || !child.connected) return false;
    // The exit reports a broken channel.
    child.send(message, () => {});
    return true;
  };
  return {
    pid: child.pid,
    exit,
    lastLines: () => [...recentLines],
    requestStop() {
      if (!alive()) return;
      // Windows has no SIGTERM: kill() there ends the process at once.
      if (posix) child.kill('SIGTERM');
      else if (!send({ type: 'stop' })) child.kill();
    },
    send: send,
    kill() {
      if (!alive() || child.pid === undefined) return;
      try {
        // Kill the process group, so that no function run outlives its server.
        process.kill(posix ? -child.pid : child.pid, 'SIGKILL');
      } catch {
        // The process has exited in the meantime.
      }
    },
  };
}

/** Calls `onLine` for each line, cut to MAX_LINE_CHARS. Resolves at the end of the stream. */
async function eachLine(stream: Readable | null, onLine: (line: string) => void): Promise<void> {
  if (stream === null) return;
  const lines = createInterface({ input: stream.pipe(cutLongLines()), crlfDelay: Infinity });
  try {
    for await (const line of lines) onLine(line);
  } catch {
    // A broken pipe ends the output.
  }
}

/** Drops the rest of a line after MAX_LINE_CHARS, so that a stream without line breaks does not grow in memory. */
function cutLongLines(): Transform {
  let length = 0;
  return new Transform({
    decodeStrings: true,
    transform(chunk: Buffer, _encoding, callback) {
      const out: Buffer[] = [];
      let offset = 0;
      while (offset < chunk.length) {
        const lineBreak = chunk.indexOf(0x0a, offset);
        const end = lineBreak === -1 ? chunk.length : lineBreak;
        out.push(chunk.subarray(offset, Math.min(end, offset + Math.max(0, MAX_LINE_CHARS - length))));
        length += end - offset;
        if (lineBreak !== -1) {
          out.push(chunk.subarray(lineBreak, lineBreak + 1));
          length = 0;
        }
        offset = end + 1;
      }
      callback(null, Buffer.concat(out));
    },
  });
}
