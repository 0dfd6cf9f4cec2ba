import { Agent } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNetwork, type RunningNetwork } from '../../server/network/network.ts';
import { send, type Call, type Reply } from './http.ts';

// A network of real processes, and helpers that send requests to its hosts.

/** Sends requests with the token of one caller to one server. */
export type Caller = {
  (method: string, path: string, body?: unknown): Promise<Reply>;
  /** Sends a request and returns the JSON of a 2xx response. @throws {Error} for any other status */
  ok(method: string, path: string, body?: unknown): Promise<unknown>;
};

export type TestNetwork = RunningNetwork & {
  /** Returns a caller of one server. @param host host:port; its first label selects the server */
  caller(host: string, token?: string): Caller;
  /** Sends a request with any headers and body. */
  send(host: string, method: string, path: string, call: Call): Promise<Reply>;
  /** Tries to sign in. `base` is `/api` for an exchange. */
  signIn(host: string, name: string, password: string, base?: string): Promise<Reply>;
  /** Signs in. @throws {Error} if the sign-in is refused */
  signInCaller(host: string, name: string, password: string, base?: string): Promise<Caller>;
};

export const startTestNetwork = async (options: {
  databases: { exchange: string; contracts: string };
  pdas: readonly { name: string; owner: string }[];
}): Promise<TestNetwork> => {
  const home = await mkdtemp(join(tmpdir(), 'pda-story-'));
  const unexpectedExits: string[] = [];
  const network = await startNetwork({
    ...options,
    home,
    port: 0,
    skipSeed: true,
    env: { PDA_LOG_LEVEL: 'warn' },
    onUnexpectedExit: (name, reason, lines) => unexpectedExits.push(`${name} exited (${reason}): ${lines.join(' ')}`),
  });
  // The relay forwards a connection by the host of its first request, so each host has its own connections, as in a
  // browser.
  const agents = new Map<string, Agent>();
  const agentOf = (host: string): Agent => {
    const agent = agents.get(host) ?? new Agent({ keepAlive: true });
    agents.set(host, agent);
    return agent;
  };

  const caller = (host: string, token?: string): Caller => {
    const call = (method: string, path: string, body?: unknown): Promise<Reply> =>
      send(network.port, agentOf(host), method, path, { headers: { host }, token, json: body });
    const ok = async (method: string, path: string, body?: unknown): Promise<unknown> => {
      const reply = await call(method, path, body);
      if (reply.status >= 200 && reply.status < 300) return reply.json;
      throw new Error(`${method} ${host}${path}: ${reply.status} ${reply.text}`);
    };
    return Object.assign(call, { ok });
  };

  const signIn = (host: string, username: string, password: string, base = ''): Promise<Reply> =>
    send(network.port, agentOf(host), 'GET', `${base}/users/access_token`, {
      headers: { host, username: encodeURIComponent(username), password: encodeURIComponent(password) },
    });

  return {
    ...network,
    caller,
    send: (host, method, path, call) =>
      send(network.port, agentOf(host), method, path, { ...call, headers: { host, ...call.headers } }),
    signIn,
    async signInCaller(host, name, password, base) {
      const reply = await signIn(host, name, password, base);
      const { accessToken } = reply.json as { accessToken?: string };
      if (accessToken === undefined) throw new Error(`${name} at ${host}: ${reply.text}`);
      return caller(host, accessToken);
    },
    async close() {
      const killedProcesses = await network.close();
      for (const agent of agents.values()) agent.destroy();
      await rm(home, { recursive: true, force: true });
      return [...unexpectedExits, ...killedProcesses];
    },
  };
};

/** Returns the content of all tables as text. */
export const dumpOf = async (database: string): Promise<string> => {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name FROM information_schema.tables
       WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
    );
    let dump = '';
    for (const { name } of tables.rows) {
      const rows = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      dump += `${name}\n${rows.rows.map(({ row }) => row).join('\n')}\n`;
    }
    return dump;
  } finally {
    await client.end();
  }
};
