import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyPdaToken } from '../server/platform/auth/pda-token.ts';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { ownerContractSchema } from '../server/wire/network.ts';
import { aContract, startContractedPda, type ContractedPda } from './support/contracts.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';

const APPLICATIONS = [
  aContract('steps-study', [['namespaceread', 'fitness']]),
  aContract('bank-watch', [['namespaceread', 'finance']]),
];
const READ_AND_WRITE = { read: true, write: true };

let harness: ContractedPda;
let pda: TestPda;
let { service, credentials, post } = {} as ContractedPda;
const readStudy = async () => (await harness.contracts()).find(({ contractId }) => contractId === 'steps-study');
const readBank = async () => (await harness.contracts()).find(({ contractId }) => contractId === 'bank-watch');
beforeAll(async () => {
  harness = await startContractedPda(APPLICATIONS, ['bank-watch']);
  ({ pda, service, credentials, post } = harness);
  service.state.descriptions.set('steps-study', {
    contractId: 'steps-study',
    name: 'A study of steps',
    description: 'Counts them.',
    developer: 'University',
    namespaces: [{ namespace: 'fitness', ...READ_AND_WRITE }],
  });
  await pda.call('GET', '/api/v2.6/applications/steps-study/setup');
  // A restart would abort the request for the description.
  while ((await readStudy())?.name !== 'A study of steps') await nextTurn();
});
afterAll(() => harness.close());

describe('keys of the contracts service', () => {
  beforeEach(() => {
    service.state.isDown = false;
    pda.clock.advance(60_000);
  });

  it('are refreshed after a rotation: old tokens work until they expire or their key is withdrawn', async () => {
    const oldCredentials = await credentials();
    service.rotate();
    expect((await post('read/fitness/steps', await credentials())).status).toBe(200);
    expect((await post('read/fitness/steps', oldCredentials)).status).toBe(200);
    pda.clock.advance(900_000);
    expect((await post('read/fitness/steps', oldCredentials)).status).toBe(403);
    // Withdrawing a key invalidates its tokens, even tokens that the PDA has already verified.
    const withdrawnCredentials = await credentials();
    expect((await post('read/fitness/steps', withdrawnCredentials)).status).toBe(200);
    pda.clock.advance(60_000);
    service.rotate(false);
    expect((await post('read/fitness/steps', await credentials())).status).toBe(200);
    expect((await post('read/fitness/steps', withdrawnCredentials)).status).toBe(403);
  });

  it('are cached across restarts while the service is down; tokens signed with unknown keys are refused until it is up', async () => {
    expect((await post('read/fitness/steps', await credentials())).status).toBe(200);
    service.state.isDown = true;
    await pda.restart();
    expect((await post('read/fitness/steps', await credentials())).status).toBe(200);
    service.rotate();
    expect((await post('read/fitness/steps', await credentials())).status).toBe(403);
    service.state.isDown = false;
    pda.clock.advance(60_000);
    expect((await post('read/fitness/steps', await credentials())).status).toBe(200);
  });

  it('are refreshed although the clock was ahead when they were fetched, so that withdrawn keys expire', async () => {
    const yearMs = 365 * 86_400_000;
    pda.clock.advance(yearMs);
    service.rotate();
    expect((await post('read/fitness/steps', await credentials())).status).toBe(200);
    pda.clock.advance(-yearMs);
    const withdrawnCredentials = await credentials();
    service.rotate(false);
    await expect.poll(async () => (await post('read/fitness/steps', withdrawnCredentials)).status).toBe(403);
  });

  it('are fetched once for 20 tokens with unknown key ids', async () => {
    const fetchesBefore = service.countKeyRequests();
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, n) => service.issueToken({}, { kid: `made-up-${n}` })),
    );
    const replies = await Promise.all(
      tokens.map(async (token) => post('read/fitness/steps', await credentials({ token }))),
    );
    expect(new Set(replies.map(({ status }) => status))).toStrictEqual(new Set([403]));
    expect(service.countKeyRequests() - fetchesBefore).toBe(1);
  });
});

describe('a PDA that joins and leaves contracts', () => {
  const createBankCredentials = () =>
    credentials(
      { contractId: 'bank-watch' },
      { sub: 'bank-watch', namespaces: [{ namespace: 'finance', ...READ_AND_WRITE }] },
    );

  it('stores the description of the contract for the owner', async () => {
    const study = { developer: 'University', description: 'Counts them.', state: 'joined' };
    expect(await readStudy()).toMatchObject({ name: 'A study of steps', ...study });
  });

  it('applies the decision immediately, and retries the report until the service responds', async () => {
    await pda.call('GET', '/api/v2.6/applications/bank-watch/disable');
    await expect.poll(() => service.joinedPdas.has('bank-watch ada')).toBe(false);
    await expect
      .poll(async () => (await harness.contracts()).map(({ contractId }) => contractId))
      .not.toContain('bank-watch');
    const bankCredentials = await createBankCredentials();
    expect((await post('read/finance/accounts', bankCredentials)).status).toBe(403);

    service.state.isDown = true;
    await pda.call('GET', '/api/v2.6/applications/bank-watch/setup');
    // Access depends on the owner's decision and not on whether the service has recorded it.
    expect((await post('read/finance/accounts', bankCredentials)).status).toBe(200);
    await expect.poll(async () => (await readBank())?.problem).toContain('503');
    expect((await readBank())?.state).toBe('joining');
    await pda.restart();
    service.state.isDown = false;
    pda.clock.advance(60_000);
    pda.pda.contracts.wake();
    await expect.poll(() => service.joinedPdas.has('bank-watch ada')).toBe(true);
    await expect.poll(async () => (await readBank())?.state).toBe('joined');

    const joinRequest = service.receivedRequests.findLast(({ method }) => method === 'PUT');
    const { text: publicKey } = await pda.call('GET', '/publickey');
    expect(
      await verifyPdaToken(joinRequest?.token ?? '', publicKey, {
        resource: service.host,
        accessScope: 'contract',
        clock: pda.clock,
      }),
    ).toMatchObject({ contract: 'bank-watch', sub: 'ada', iss: pda.host });
  });

  it('reports after a restart that it left while the service was down', async () => {
    service.state.isDown = true;
    expect((await pda.call('POST', '/api/v2.6/owner/contracts/bank-watch/leave')).status).toBe(200);
    const { rows } = ledgerPageSchema.parse((await pda.call('GET', '/api/v2.6/owner/ledger?contract=bank-watch')).json);
    expect(rows[0]).toMatchObject({
      who: { kind: 'owner' },
      action: 'POST /api/v2.6/owner/contracts/:contractId/leave',
      consent: { kind: 'contract', name: 'bank-watch' },
    });
    // Waits for the failed request, so that none is in progress when the clock advances.
    await expect.poll(async () => (await readBank())?.problem).toContain('503');
    const bankCredentials = await createBankCredentials();
    expect((await post('read/finance/accounts', bankCredentials)).status).toBe(403);
    await pda.restart();
    expect((await readBank())?.state).toBe('leaving');
    service.state.isDown = false;
    pda.clock.advance(60_000);
    pda.pda.contracts.wake();
    await expect.poll(() => service.joinedPdas.has('bank-watch ada')).toBe(false);
    await expect.poll(async () => (await harness.contracts()).length).toBe(1);
    expect((await pda.call('POST', '/api/v2.6/owner/contracts/bank-watch/leave')).status).toBe(404);
  });

  it('grants no access while the service refuses it, shows the reason, and joins when the owner sets up the contract again', async () => {
    service.state.refusalStatus = 403;
    await pda.call('GET', '/api/v2.6/applications/bank-watch/setup');
    await expect.poll(async () => (await readBank())?.state).toBe('failed');
    expect((await readBank())?.problem).toBe('That name is taken.');
    const bankCredentials = await createBankCredentials();
    expect((await post('read/finance/accounts', bankCredentials)).status).toBe(403);
    service.state.refusalStatus = 0;
    await pda.call('GET', '/api/v2.6/applications/bank-watch/setup');
    await expect.poll(async () => (await readBank())?.state).toBe('joined');
    expect((await post('read/finance/accounts', bankCredentials)).status).toBe(200);
  });

  it('continues with the next contract if a description is not JSON', async () => {
    service.state.descriptions.set('bank-watch', '<html>');
    service.state.isDown = true;
    for (const id of ['bank-watch', 'steps-study']) {
      await pda.call('GET', `/api/v2.6/applications/${id}/disable`);
      await pda.call('GET', `/api/v2.6/applications/${id}/setup`);
    }
    const readUnavailableFlags = async () => (await harness.contracts()).map(({ problem }) => problem?.includes('503'));
    await expect.poll(readUnavailableFlags).toStrictEqual([true, true]);
    service.state.isDown = false;
    pda.clock.advance(60_000);
    pda.pda.contracts.wake();
    const readStates = async () => (await harness.contracts()).map(({ state }) => state);
    // If the invalid description aborted the run, the next one would start after a minute, later than this timeout.
    await expect.poll(readStates, { timeout: 30_000 }).toStrictEqual(['joined', 'joined']);
  });

  it('fetches a missing description at the next start', async () => {
    expect((await readBank())?.name).toBe('The bank-watch');
    service.state.descriptions.set('bank-watch', {
      contractId: 'bank-watch',
      name: 'A study of accounts',
      description: '',
      developer: '',
      namespaces: [{ namespace: 'finance', ...READ_AND_WRITE }],
    });
    await pda.restart();
    await expect.poll(async () => (await readBank())?.name).toBe('A study of accounts');
  });
});

describe('a PDA whose public address changes', () => {
  const setAddress = (host: string) =>
    pda.call('PUT', '/api/v2.6/owner/exposure', { json: { way: 'own', publicUrl: `https://${host}` } });
  const readStates = async () => (await harness.contracts()).map(({ state }) => state);
  /** Returns the reports to the contracts service since the start index, each with the address that signed it. */
  const reportsSince = (start: number): string[] =>
    service.receivedRequests
      .slice(start)
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path, token }) => `${method} ${path} ${String(decodeJwt(token).iss)}`);

  it('leaves its contracts under the previous address, and then joins them under the new one', async () => {
    await setAddress('ada.example.org');
    await expect.poll(readStates).toStrictEqual(['joined', 'joined']);
    const start = service.receivedRequests.length;
    await setAddress('lovelace.example.net');
    await expect.poll(() => reportsSince(start)).toHaveLength(4);
    // The service binds a name to one address until the PDA has left all contracts there.
    expect(reportsSince(start)).toStrictEqual([
      'DELETE /v1/contracts/bank-watch/pdas/ada ada.example.org',
      'DELETE /v1/contracts/steps-study/pdas/ada ada.example.org',
      'PUT /v1/contracts/bank-watch/pdas/lovelace lovelace.example.net',
      'PUT /v1/contracts/steps-study/pdas/lovelace lovelace.example.net',
    ]);
    await expect.poll(readStates).toStrictEqual(['joined', 'joined']);
    expect([...service.joinedPdas].toSorted()).toStrictEqual(['bank-watch lovelace', 'steps-study lovelace']);
  });

  it('joins under the new address only when the service has recorded the departure', async () => {
    service.state.isDown = true;
    await setAddress('byron.example.com');
    await expect.poll(async () => (await readBank())?.problem).toContain('503');
    expect(await readStates()).toStrictEqual(['joining', 'joining']);
    service.state.isDown = false;
    pda.clock.advance(60_000);
    pda.pda.contracts.wake();
    await expect.poll(readStates).toStrictEqual(['joined', 'joined']);
    expect([...service.joinedPdas].toSorted()).toStrictEqual(['bank-watch byron', 'steps-study byron']);
  });

  it('leaves a contract under the address with which it joined', async () => {
    service.state.isDown = true;
    await pda.call('GET', '/api/v2.6/applications/bank-watch/disable');
    await expect.poll(async () => (await readBank())?.problem).toContain('503');
    await setAddress('ada.example.org');
    service.state.isDown = false;
    pda.clock.advance(60_000);
    const start = service.receivedRequests.length;
    pda.pda.contracts.wake();
    await expect.poll(readBank).toBe(undefined);
    expect(reportsSince(start)).toContain('DELETE /v1/contracts/bank-watch/pdas/byron byron.example.com');
    expect(service.joinedPdas.has('bank-watch byron')).toBe(false);
  });

  it('joins under a new name even while the service refuses a departure under the previous name', async () => {
    await pda.call('GET', '/api/v2.6/applications/bank-watch/setup');
    await expect.poll(readStates).toStrictEqual(['joined', 'joined']);
    service.state.refusalStatus = 409;
    await pda.call('GET', '/api/v2.6/applications/bank-watch/disable');
    await expect.poll(async () => (await readBank())?.problem).toBe('That name is taken.');
    service.state.refusalStatus = 0;
    await setAddress('noether.example.net');
    await expect.poll(() => service.joinedPdas.has('steps-study noether')).toBe(true);
    expect((await readBank())?.state).toBe('leaving');
  });
});

it('a PDA without a public address waits for one before it joins, so that the service does not refuse it', async () => {
  const lookups: string[] = [];
  const resolve = async (host: string): Promise<never[]> => {
    lookups.push(host);
    return [];
  };
  const hiddenPda = await startTestPda({
    config: { applications: APPLICATIONS, contracts: { url: 'https://contracts.example' } },
    network: { resolve },
  });
  await hiddenPda.call('GET', '/api/v2.6/applications/bank-watch/setup');
  const readContracts = async () =>
    ownerContractSchema.array().parse((await hiddenPda.call('GET', '/api/v2.6/owner/contracts')).json);
  const readProblem = async () => (await readContracts()).map(({ state, problem }) => [state, problem]);
  const problem = 'This PDA has no public address yet, so the contracts service cannot reach it.';
  expect(await readProblem()).toStrictEqual([['joining', problem]]);
  expect(lookups).toStrictEqual([]);
  await hiddenPda.call('PUT', '/api/v2.6/owner/exposure', {
    json: { way: 'own', publicUrl: 'https://ada.example.org' },
  });
  await expect.poll(() => lookups).toContain('contracts.example');
  await hiddenPda.close();
});
