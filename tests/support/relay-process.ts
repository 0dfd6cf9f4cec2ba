import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { NODE, ROOT } from './paths.ts';

// The relay and a PDA with a tunnel as separate processes, so that tests can send them signals.

export type Process = {
  pid: number;
  /** The first line of standard output. */
  firstLine: string;
  kill(signal: NodeJS.Signals): void;
  /** Exit code, or the signal that ended the process. */
  exitStatus: Promise<number | string | null>;
};

const processes = new Set<ChildProcess>();

export const endProcesses = (): void => {
  for (const child of processes) child.kill('SIGKILL');
};

export const startProcess = async (file: string, args: readonly string[]): Promise<Process> => {
  const child = spawn(NODE, [join(ROOT, file), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PDA_LOG_LEVEL: 'warn' },
  });
  processes.add(child);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  const exitStatus = once(child, 'exit').then(([code, signal]) => {
    processes.delete(child);
    return (code ?? signal) as number | string | null;
  });
  const firstOutput = once(createInterface({ input: child.stdout }), 'line').then(([firstLine]) => String(firstLine));
  const firstLine = await Promise.race([
    firstOutput,
    exitStatus.then((code) => Promise.reject(new Error(`${file} exited with ${code}: ${errors}`))),
  ]);
  return { pid: child.pid ?? 0, firstLine, kill: (signal) => void child.kill(signal), exitStatus };
};

export const startRelayProcess = async (...args: string[]): Promise<Process & { port: number }> => {
  const relayProcess = await startProcess('server/relay/cli.ts', ['serve', ...args]);
  const port = /^relay listening on http:\/\/localhost:(\d+)$/u.exec(relayProcess.firstLine)?.[1];
  if (port === undefined) throw new Error(`the first line was: ${relayProcess.firstLine}`);
  return { ...relayProcess, port: Number(port) };
};
