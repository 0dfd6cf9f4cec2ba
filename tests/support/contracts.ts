import { ownerContractSchema, type OwnerContract } from '../../server/wire/network.ts';
import type { ShortLivedClaims } from '../../server/wire/contracts.ts';
import { anApplication, type ApplicationInput } from './applications.ts';
import { startContractsService, type ContractsStandIn } from './contracts-service.ts';
import type { Call, Reply } from './http.ts';
import { startTestPda, type TestPda } from './test-pda.ts';

// A stand-in for the contracts service, a PDA that has joined contracts, and requests as a developer sends them.

export const aContract = (id: string, roles: [role: string, namespace: string][]): ApplicationInput => ({
  ...anApplication({ id, roles: roles.map(([role, detail]) => ({ role, detail })) }),
  kind: { kind: 'Contract', url: `https://${id}.example.com/` },
});

export type Credentials = { token?: unknown; contractId?: unknown; pdaName?: unknown; [field: string]: unknown };

export type ContractedPda = {
  pda: TestPda;
  service: ContractsStandIn;
  /** Builds the credentials of a request, for the contract `steps-study` by default. */
  credentials(overrides?: Credentials, claims?: Partial<ShortLivedClaims>): Promise<Credentials>;
  post(path: string, json: unknown, call?: Call): Promise<Reply>;
  put(path: string, json: unknown): Promise<Reply>;
  /** Returns the contracts that the owner sees. */
  contracts(): Promise<OwnerContract[]>;
  close(): Promise<void>;
};

/**
 * Starts a contracts service and a PDA that has joined some of its contracts.
 * @param joinedIds ids of contract applications that the owner sets up at the start
 * @param config further keys of config.json
 */
export const startContractedPda = async (
  applications: readonly ApplicationInput[],
  joinedIds: readonly string[],
  config: object = {},
): Promise<ContractedPda> => {
  const clock = { now: (): number => startedPda?.clock.now() ?? 0 };
  let startedPda: TestPda | undefined;
  const service = await startContractsService(clock);
  const pda = await startTestPda({
    config: { ...config, applications, contracts: { url: service.url } },
    network: { allowLoopback: true },
  });
  startedPda = pda;
  for (const id of joinedIds) await pda.call('GET', `/api/v2.6/applications/${id}/setup`);
  const contracts = async (): Promise<OwnerContract[]> =>
    ownerContractSchema.array().parse((await pda.call('GET', '/api/v2.6/owner/contracts')).json);
  while ((await contracts()).some(({ state }) => state !== 'joined')) await new Promise(setImmediate);
  return {
    pda,
    service,
    credentials: async (overrides = {}, claims = {}) => ({
      token: await service.issueToken(claims),
      contractId: 'steps-study',
      pdaName: 'ada',
      ...overrides,
    }),
    post: (path, json, call = {}) =>
      pda.call('POST', `/api/v2.6/contract-data/${path}`, { json, token: null, ...call }),
    put: (path, json) => pda.call('PUT', `/api/v2.6/contract-data/${path}`, { json, token: null }),
    contracts,
    async close() {
      await pda.close();
      await service.close();
    },
  };
};
