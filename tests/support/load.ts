import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { findFreePort } from '../../server/platform/io/free-port.ts';
import type { AttackOptions, Attack } from './attacks.ts';
import { storeFile } from './files.ts';
import { send } from './http.ts';
import { NODE } from './paths.ts';
import { newHome, startServer, type ServerProcess } from './server-process.ts';
import { OWNER } from './test-pda.ts';

// A server under attack and normal clients, in separate processes and on local addresses that represent networks.

const PUBLIC_HOST = 'ada.example';
const ATTACKER_ADDRESS = '127.0.0.66';
const CLIENT_ADDRESS = '127.0.0.2';
/** File size in bytes. It is larger than the buffers of a connection, so that slow readers keep the download open. */
const LARGE_FILE_BYTES = 40_000_000;

export type CallerOptions = { port: number; host: string; localAddress: string; token: string };
/**
 * Number of successful requests of the normal clients, percentiles of their response times in milliseconds, and at most
 * five failures.
 */
export type Measurement = { requests: number; p50: number; p99: number; failures: string[] };

const children = new Set<ChildProcess>();
const startChild = (file: string, args: readonly string[]): ChildProcess => {
  const child = fork(join(import.meta.dirname, file), args, {
    execPath: NODE,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
};
const killChild = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
};
export const stopLoad = async (): Promise<void> => {
  await Promise.all([...children].map(killChild));
};

/** Stores a public file. @returns its signed path, as anonymous callers receive it */
const storePublicFile = async (server: ServerProcess): Promise<string> => {
  const { fileId } = await storeFile(server, 'large.bin', Buffer.alloc(LARGE_FILE_BYTES, 7));
  await server.call('GET', `/api/v2.6/files/allowAccessPublic/${fileId}`);
  const redirect = await fetch(`http://127.0.0.1:${server.port}/api/v2.6/files/content/${fileId}`, {
    redirect: 'manual',
  });
  const address = new URL(redirect.headers.get('location') ?? '', `http://127.0.0.1:${server.port}`);
  return `${address.pathname}${address.search}`;
};

export type Load = {
  server: ServerProcess;
  /** Measures the normal clients for at least `ms` milliseconds. */
  measure(ms: number): Promise<Measurement>;
  /** Prepares attacks that can be switched on and off. @param strength fraction of their full rate */
  prepare(kinds: readonly Attack[], strength: number): { switch(isOn: boolean): void; end(): Promise<void> };
  /** Returns the resident memory of the server in bytes. */
  residentBytes(): number;
  close(): Promise<void>;
};

export const startLoad = async (): Promise<Load> => {
  const home = await newHome();
  const port = await findFreePort();
  writeFileSync(join(home, 'config.json'), JSON.stringify({ publicUrl: `https://${PUBLIC_HOST}`, publicPort: port }));
  const server = await startServer(home);
  for (let index = 0; index < 20; index += 1)
    await server.call('POST', '/api/v2.6/data/load/read', { json: { index, text: 'y'.repeat(300) } });
  const file = await storePublicFile(server);
  const agent = new Agent({ localAddress: CLIENT_ADDRESS });
  const signInReply = await send(port, agent, 'GET', '/users/access_token', {
    headers: { host: PUBLIC_HOST, username: OWNER.name, password: encodeURIComponent(OWNER.password) },
  });
  const { accessToken } = signInReply.json as { accessToken: string };
  const callerOptions: CallerOptions = { port, host: PUBLIC_HOST, localAddress: CLIENT_ADDRESS, token: accessToken };
  const clientProcess = startChild('caller.ts', [JSON.stringify(callerOptions)]);
  return {
    server,
    async measure(ms) {
      clientProcess.send(ms);
      const [measurement] = (await once(clientProcess, 'message')) as [Measurement];
      return measurement;
    },
    prepare(kinds, strength) {
      const attackOptions: AttackOptions = { port, host: PUBLIC_HOST, localAddress: ATTACKER_ADDRESS, file, strength };
      const attacker = startChild('attacker.ts', [JSON.stringify(kinds), JSON.stringify(attackOptions)]);
      return {
        switch: (isOn) => void attacker.send(isOn),
        end: () => killChild(attacker),
      };
    },
    residentBytes: () =>
      Number(/VmRSS:\s+(\d+) kB/u.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) * 1024,
    async close() {
      await stopLoad();
      await server.stop();
    },
  };
};
