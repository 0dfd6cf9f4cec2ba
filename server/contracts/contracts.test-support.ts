import { Agent } from 'node:http';
import { send, serve, type Call, type ThirdPartyServer, type Reply } from '../../tests/support/http.ts';
import { PATIENT_DATABASE_LIMITS } from '../platform/postgres/server-client.test-support.ts';
import { sharedKey, type TestKey } from '../../tests/support/keys.ts';
import { createTestClock, type TestClock } from '../../tests/support/test-pda.ts';
import { silentLog } from '../platform/log.ts';
import { signPdaToken, type NewPdaToken } from '../platform/auth/pda-token.ts';
import type { ContractNamespace } from '../wire/contracts.ts';
import { createContracts, type Contracts, type ContractsOptions } from './contracts.ts';

export const FITNESS: ContractNamespace[] = [{ namespace: 'fitness', read: true, write: true }];

export type FakePda = {
  name: string;
  address: string;
  /** Key that the PDA serves and signs with. Tests can replace it. */
  key: TestKey;
  /** Method and path of each received request. */
  requests: string[];
  token(contract: string, claims?: Partial<NewPdaToken>): Promise<string>;
  join(contract: string): Promise<Reply>;
  leave(contract: string): Promise<Reply>;
};

const INSERT_BATCH_ROWS = 10_000;

export type TestContracts = {
  readonly service: Contracts;
  readonly clock: TestClock;
  readonly port: number;
  readonly host: string;
  /** Sends `token` as `Authorization: Bearer`. */
  call(method: string, path: string, call?: Call): Promise<Reply>;
  createContract(id?: string, namespaces?: ContractNamespace[]): Promise<{ id: string; token: string }>;
  /** @param token the contract's long-lived token */
  getKeyring(token: string, query?: string): Promise<Reply>;
  /** The fake PDA responds at `<name>.localhost`. */
  addPda(name?: string, key?: TestKey): FakePda;
  /** Inserts the members `p000000`, `p000001`, … into the database. */
  insertMembers(contract: string, count: number): Promise<void>;
  close(): Promise<void>;
};

export const startTestContracts = async (
  options: Partial<ContractsOptions> & { database: string; clock?: TestClock },
): Promise<TestContracts> => {
  const clock = options.clock ?? createTestClock();
  const service = await createContracts({
    log: silentLog(),
    strict: true,
    databaseLimits: PATIENT_DATABASE_LIMITS,
    ...options,
    clock,
    network: { allowLoopback: true, ...options.network },
  });
  const { port } = await service.listen(0);
  const host = `127.0.0.1:${port}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  /** Makes default names unique. */
  let nameCount = 0;
  const pdasByAddress = new Map<string, FakePda>();
  // One server serves all fake PDAs. The Host header selects the PDA.
  const pdaServer: ThirdPartyServer = await serve((request, response) => {
    const pda = pdasByAddress.get(request.headers.host ?? '');
    pda?.requests.push(`${request.method} ${request.url}`);
    if (pda === undefined || request.url !== '/publickey') response.writeHead(404).end();
    else response.end(pda.key.publicPem);
  });

  const call: TestContracts['call'] = (method, path, { token, headers, ...rest } = {}) => {
    const authorization = token === undefined || token === null ? {} : { authorization: `Bearer ${token}` };
    return send(port, agent, method, path, { ...rest, headers: { ...authorization, ...headers } });
  };

  return {
    service,
    clock,
    port,
    host,
    call,
    async createContract(id = `contract-${(nameCount += 1)}`, namespaces = FITNESS) {
      const { token } = await service.contracts.create({ id, name: id, namespaces }, 'test');
      return { id, token };
    },
    getKeyring: (token, query = '') => call('GET', `/v1/contracts/keyring${query}`, { token }),
    addPda(name = `pda-${(nameCount += 1)}`, key = sharedKey()) {
      const address = `${name}.localhost:${new URL(pdaServer.url).port}`;
      const path = (contract: string): string => `/v1/contracts/${contract}/pdas/${name}`;
      const pda: FakePda = {
        name,
        address,
        key,
        requests: [],
        token: (contract, claims = {}) =>
          signPdaToken(
            pda.key,
            { iss: address, sub: name, contract, resource: host, accessScope: 'contract', ...claims },
            clock,
          ),
        join: async (contract) => call('PUT', path(contract), { token: await pda.token(contract) }),
        leave: async (contract) => call('DELETE', path(contract), { token: await pda.token(contract) }),
      };
      pdasByAddress.set(address, pda);
      return pda;
    },
    async insertMembers(contract, count) {
      await service.database.run(async (db) => {
        for (let start = 0; start < count; start += INSERT_BATCH_ROWS) {
          const rows = Array.from({ length: Math.min(INSERT_BATCH_ROWS, count - start) }, (_, index) => ({
            contract_id: contract,
            pda_name: `p${String(start + index).padStart(6, '0')}`,
            since: 1,
          }));
          await db.insertInto('members').values(rows).execute();
        }
      });
    },
    async close() {
      await service.close();
      agent.destroy();
      await pdaServer.close();
    },
  };
};
