import { spawn, type ChildProcess } from 'node:child_process';
import { Agent } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { send, type Call, type Reply } from './http.ts';

/** The exchange or the contracts service as it ships: a separate process, driven by arguments, signals and HTTP. */

const ROOT = dirname(dirname(import.meta.dirname));
const NODE = join(ROOT, 'node_modules/node/bin/node');
const LISTENING = /^\w+ listening on http:\/\/127\.0\.0\.1:(\d+)$/mu;

export type ServiceProcess = {
  readonly port: number;
  /** Returns everything written to standard error so far. */
  errors(): string;
  /** Rejects if the connection breaks. */
  call(method: string, path: string, call?: Call): Promise<Reply>;
  /**
   * Ends the process. SIGKILL simulates a crash, SIGTERM requests a graceful stop. Resolves with its exit code.
   */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
};

const runningProcesses = new Set<ChildProcess>();

/** Kills processes that a failed test left running. */
export const endServices = async (): Promise<void> => {
  await Promise.all([...runningProcesses].map((child) => endProcess(child, 'SIGKILL')));
};

const endProcess = (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve(child.exitCode);
      return;
    }
    child.once('exit', (code) => resolve(code));
    child.kill(signal);
  });

/** Runs one command and waits for its end. */
export const runService = async (
  service: 'exchange' | 'contracts',
  args: readonly string[],
  input = '',
): Promise<{ code: number | null; stdout: string; stderr: string }> => {
  const child = spawn(NODE, [join(ROOT, `server/${service}/cli.ts`), ...args], { cwd: ROOT });
  runningProcesses.add(child);
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const code = new Promise<number | null>((resolve) => {
    child.once('exit', (exitCode) => {
      runningProcesses.delete(child);
      resolve(exitCode);
    });
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
};

/** Starts `serve` on a free port. Resolves when it listens. */
export const startService = (
  service: 'exchange' | 'contracts',
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<ServiceProcess> => {
  const child = spawn(NODE, [join(ROOT, `server/${service}/cli.ts`), 'serve', '--port', '0', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PDA_LOG_LEVEL: 'warn', ...environment },
  });
  runningProcesses.add(child);
  child.once('exit', () => runningProcesses.delete(child));
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  let output = '';
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code, signal) => reject(new Error(`${service} exited (${code ?? signal}): ${errors}`)));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      const port = LISTENING.exec(output)?.[1];
      if (port === undefined) return;
      resolve({
        port: Number(port),
        errors: () => errors,
        call: (method, path, call = {}) =>
          send(Number(port), agent, method, path, {
            ...call,
            headers: {
              ...(call.token === undefined || call.token === null ? {} : { 'x-auth-token': call.token }),
              ...call.headers,
            },
          }),
        async end(signal) {
          const code = await endProcess(child, signal);
          agent.destroy();
          return code;
        },
      });
    });
  });
};
