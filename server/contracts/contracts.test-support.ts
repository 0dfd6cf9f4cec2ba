import { Agent } from 'node:http';
import { callsTo, serve, type Call, type FarServer, type Reply } from '../../tests/support/http.ts';
import { sharedKey, type TestKey } from '../../tests/support/keys.ts';
import { createTestClock, type TestClock } from '../../tests/support/test-pda.ts';
import { silentLog } from '../platform/log.ts';
import { signPdaToken, type NewPdaToken } from '../platform/pda-proof.ts';
import type { ContractNamespace } from '../wire/contracts.ts';
import { createContracts, type Contracts, type ContractsOptions } from './contracts.ts';

/** How tests start a contracts service, with contracts and with stand-ins for PDAs. */

export const FITNESS: ContractNamespace[] = [{ namespace: 'fitness', read: true, write: true }];

/** A PDA as far as the service meets it: it shows its key. */
export type StandInPda = {
  name: string;
  address: string;
  /** Can be changed: it is what the PDA shows and signs with from then on. */
  key: TestKey;
  /** What it was asked for. */
  asked: string[];
  token(contract: string, more?: Partial<NewPdaToken>): Promise<string>;
  join(contract: string): Promise<Reply>;
  leave(contract: string): Promise<Reply>;
};

export type TestContracts = {
  readonly service: Contracts;
  readonly clock: TestClock;
  readonly port: number;
  readonly host: string;
  /** `token` goes as `Authorization: Bearer`. */
  call(method: string, path: string, call?: Call): Promise<Reply>;
  /** A new contract, and its long-lived token. */
  contract(id?: string, namespaces?: ContractNamespace[]): Promise<{ id: string; token: string }>;
  keyring(token: string, query?: string): Promise<Reply>;
  /** A PDA that answers at `<name>.localhost`. */
  pda(name?: string, key?: TestKey): StandInPda;
  /** Members that are put into the database: `p000000`, `p000001`, … */
  fill(contract: string, count: number): Promise<void>;
  close(): Promise<void>;
};

export const startTestContracts = async (
  options: Partial<ContractsOptions> & { database: string; clock?: TestClock },
): Promise<TestContracts> => {
  const clock = options.clock ?? createTestClock();
  const service = await createContracts({
    log: silentLog(),
    strict: true,
    ...options,
    clock,
    network: { allowLoopback: true, ...options.network },
  });
  const { port } = await service.listen(0);
  const host = `127.0.0.1:${port}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  let count = 0;
  const keys = new Map<string, StandInPda>();
  // One server is all of them: each is known by the name under which it was called.
  const far: FarServer = await serve((request, response) => {
    const pda = keys.get(request.headers.host ?? '');
    pda?.asked.push(`${request.method} ${request.url}`);
    if (pda === undefined || request.url !== '/publickey') response.writeHead(404).end();
    else response.end(pda.key.publicPem);
  });

  const call = callsTo(port, agent, (token) => ({ authorization: `Bearer ${token}` }));

  return {
    service,
    clock,
    port,
    host,
    call,
    async contract(id = `contract-${(count += 1)}`, namespaces = FITNESS) {
      const { token } = await service.contracts.create({ id, name: id, namespaces }, 'test');
      return { id, token };
    },
    keyring: (token, query = '') => call('GET', `/v1/contracts/keyring${query}`, { token }),
    pda(name = `pda-${(count += 1)}`, key = sharedKey()) {
      const address = `${name}.localhost:${new URL(far.url).port}`;
      const path = (contract: string): string => `/v1/contracts/${contract}/pdas/${name}`;
      const pda: StandInPda = {
        name,
        address,
        key,
        asked: [],
        token: (contract, more = {}) =>
          signPdaToken(
            pda.key,
            { iss: address, sub: name, contract, resource: host, accessScope: 'contract', ...more },
            clock,
          ),
        join: async (contract) => call('PUT', path(contract), { token: await pda.token(contract) }),
        leave: async (contract) => call('DELETE', path(contract), { token: await pda.token(contract) }),
      };
      keys.set(address, pda);
      return pda;
    },
    async fill(contract, total) {
      await service.database.read(async (db) => {
        for (let at = 0; at < total; at += 10_000) {
          const rows = Array.from({ length: Math.min(10_000, total - at) }, (_, index) => ({
            contract_id: contract,
            pda_name: `p${String(at + index).padStart(6, '0')}`,
            since: 1,
          }));
          await db.insertInto('members').values(rows).execute();
        }
      });
    },
    async close() {
      await service.close();
      agent.destroy();
      await far.close();
    },
  };
};
