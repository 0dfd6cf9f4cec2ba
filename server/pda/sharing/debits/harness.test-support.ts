import type { z } from 'zod';
import { expect } from 'vitest';
import { anApplication, setUpApplication, type ApplicationInput } from '../../../../tests/support/applications.ts';
import type { Reply } from '../../../../tests/support/http.ts';
import { errorOf, startTestPda, type TestPda, type TestPdaOptions } from '../../../../tests/support/test-pda.ts';
import {
  debitSchema,
  ownerDebitSchema,
  type Debit,
  type debitProposalSchema,
  type OwnerDebit,
} from '../../../wire/debits.ts';

export type ProposalInput = z.input<typeof debitProposalSchema>;

export const NOW = '2026-01-15T12:00:00.000Z';
export const DAY_SECONDS = 86_400;

/** Requests the name and the hour of calendar events, without a limit. */
export const aProposal = (key: string, changes: Partial<ProposalInput> = {}): ProposalInput => ({
  dataDebitKey: key,
  bundle: {
    name: `${key}-bundle`,
    bundle: { events: { endpoints: [{ endpoint: 'calendar/events', mapping: { name: 'name', hour: 'when.hour' } }] } },
  },
  start: NOW,
  period: 30 * DAY_SECONDS,
  purpose: 'To suggest a day for lunch.',
  cancelAtPeriodEnd: true,
  termsUrl: 'https://lunch.example.com/terms',
  requestClientName: 'Lunch Ltd',
  requestClientUrl: 'https://lunch.example.com/',
  requestClientLogoUrl: 'https://lunch.example.com/logo.png',
  ...changes,
});

export const aBundle = (name: string, endpoint: string, mapping?: Record<string, string>): ProposalInput['bundle'] => ({
  name,
  bundle: { [name]: { endpoints: [{ endpoint, ...(mapping === undefined ? {} : { mapping }) }] } },
});

const expectStatus = (reply: Reply, status: number): Reply => {
  expect(reply.status, reply.text.slice(0, 500)).toBe(status);
  return reply;
};

/** All functions except `expectRefusal` and `call` expect success. */
export const createDebitCalls = (pda: Pick<TestPda, 'call'>, token?: string) => {
  const call = (method: string, path: string, json?: unknown): Promise<Reply> =>
    pda.call(method, `/api/v2.6/${path}`, {
      ...(json === undefined ? {} : { json }),
      ...(token === undefined ? {} : { token }),
    });
  const expectDebit = async (status: number, reply: Promise<Reply>): Promise<Debit> =>
    debitSchema.parse(expectStatus(await reply, status).json);
  return {
    call,
    propose: (key: string, changes?: Partial<ProposalInput>) =>
      expectDebit(201, call('POST', `data-debit/${key}`, aProposal(key, changes))),
    update: (key: string, changes?: Partial<ProposalInput>) =>
      expectDebit(200, call('PUT', `data-debit/${key}`, aProposal(key, changes))),
    find: (key: string) => expectDebit(200, call('GET', `data-debit/${key}`)),
    enable: (key: string) => expectDebit(200, call('GET', `data-debit/${key}/enable`)),
    disable: (key: string, atPeriodEnd = false) =>
      expectDebit(200, call('GET', `data-debit/${key}/disable?atPeriodEnd=${atPeriodEnd}`)),
    reject: (key: string) => expectDebit(200, call('POST', `data-debit/${key}/reject`)),
    remove: (key: string) => expectDebit(200, call('DELETE', `data-debit/${key}`)),
    findAsOwner: async (key: string): Promise<OwnerDebit> =>
      ownerDebitSchema.parse(expectStatus(await call('GET', `owner/debits/${key}`), 200).json),
    grant: async (key: string, grant: unknown): Promise<OwnerDebit> =>
      ownerDebitSchema.parse(expectStatus(await call('POST', `owner/debits/${key}/grant`, grant), 200).json),
    change: async (key: string, change: unknown): Promise<OwnerDebit> =>
      ownerDebitSchema.parse(expectStatus(await call('POST', `owner/debits/${key}/change`, change), 200).json),
    pause: async (key: string, until: string): Promise<OwnerDebit> =>
      ownerDebitSchema.parse(expectStatus(await call('POST', `owner/debits/${key}/pause`, { until }), 200).json),
    resume: async (key: string): Promise<OwnerDebit> =>
      ownerDebitSchema.parse(expectStatus(await call('POST', `owner/debits/${key}/resume`), 200).json),
    values: async (key: string): Promise<Record<string, unknown[]>> => {
      const reply = expectStatus(await call('GET', `data-debit/${key}/values`), 200);
      const { bundle } = reply.json as { bundle: Record<string, { data: unknown }[]> };
      return Object.fromEntries(
        Object.entries(bundle).map(([name, records]) => [name, records.map(({ data }) => data)]),
      );
    },
    expectRefusal: async (method: string, path: string, json?: unknown): Promise<[number, string]> => {
      const reply = await call(method, path, json);
      expect(reply.status, reply.text.slice(0, 300)).toBeGreaterThanOrEqual(400);
      return [reply.status, errorOf(reply).error];
    },
  };
};

export type DebitCalls = ReturnType<typeof createDebitCalls>;

export const store = async (pda: TestPda, endpoint: string, data: unknown): Promise<void> => {
  expectStatus(await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json: data }), 201);
};

/** Status and error code of `values` if the Data Debit is not enabled. */
export const NOT_ENABLED = [400, 'data_debit_not_enabled'];

/** Values that `aProposal` shares after `storeEvents`. */
export const SHARED_VALUES = {
  events: [
    { name: 'lunch', hour: 12 },
    { name: 'dinner', hour: 19 },
  ],
};
export const storeEvents = (pda: TestPda): Promise<void> =>
  store(pda, 'calendar/events', [
    { name: 'lunch', when: { hour: 12 }, secret: 'x' },
    { name: 'dinner', when: { hour: 19 }, secret: 'y' },
  ]);

export const REQUESTER = anApplication({ id: 'requester', roles: [{ role: 'datadebit' }] });

export type DebitTest = {
  pda: TestPda;
  owner: DebitCalls;
  requester: DebitCalls;
  token: string;
  /** Proposes and approves a Data Debit with the key `lunch`. */
  proposeAndEnable(changes?: Partial<ProposalInput>): Promise<Debit>;
};

export const startDebits = async (
  applications: readonly ApplicationInput[] = [REQUESTER],
  options: Omit<TestPdaOptions, 'config'> = {},
): Promise<DebitTest> => {
  const pda = await startTestPda({ ...options, config: { applications } });
  const token = await setUpApplication(pda, 'requester');
  const [owner, requester] = [createDebitCalls(pda), createDebitCalls(pda, token)];
  const proposeAndEnable: DebitTest['proposeAndEnable'] = async (changes) => {
    await requester.propose('lunch', changes);
    return owner.enable('lunch');
  };
  return { pda, owner, requester, token, proposeAndEnable };
};
