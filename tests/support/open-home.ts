import { Agent } from 'node:http';
import type { PdaOptions } from '../../server/pda/config.ts';
import { createPda, type Pda } from '../../server/pda/pda.ts';
import { silentLog } from '../../server/platform/log.ts';
import { send, type Call, type Reply } from './http.ts';
import { OWNER } from './test-pda.ts';

export type OpenHome = {
  readonly pda: Pda;
  readonly port: number;
  /** Sends a request with the owner's token. */
  call(method: string, path: string, call?: Call): Promise<Reply>;
  close(): Promise<void>;
};

const openHomes = new Set<OpenHome>();

/** Closes PDAs that a failed test left open. */
export const closeHomes = async (): Promise<void> => {
  await Promise.all([...openHomes].map((home) => home.close()));
};

/**
 * Opens the home of a stopped server in this process and signs in. Recovery works as in a separate process, which costs
 * ten times as much.
 */
export const openHome = async (
  home: string,
  options: Partial<Pick<PdaOptions, 'functions' | 'log' | 'onEraseEverything'>> = {},
): Promise<OpenHome> => {
  const pda = await createPda({ home, log: silentLog(), ...options });
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  let token = '';
  let port = 0;
  const self: OpenHome = {
    pda,
    get port() {
      return port;
    },
    call: (method, path, call = {}) =>
      send(port, agent, method, path, { ...call, headers: { 'x-auth-token': token, ...call.headers } }),
    async close() {
      openHomes.delete(self);
      agent.destroy();
      await pda.close();
    },
  };
  openHomes.add(self);
  try {
    ({ port } = await pda.listen(0));
    const from = { address: '127.0.0.1', host: `127.0.0.1:${port}`, local: true, userAgent: 'test' };
    token = (await pda.owner.signIn(OWNER.name, OWNER.password, from)).accessToken;
    return self;
  } catch (error) {
    await self.close();
    throw error;
  }
};
