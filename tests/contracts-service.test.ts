import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyPdaToken } from '../server/platform/pda-proof.ts';
import { aContract, startContractedPda, type ContractedPda } from './support/contracts.ts';
import type { TestPda } from './support/test-pda.ts';

/** What a PDA has to do with the contracts service: its keys, and joining and leaving. */

const APPLICATIONS = [
  aContract('steps-study', [['namespaceread', 'fitness']]),
  aContract('bank-watch', [['namespaceread', 'finance']]),
];
const BOTH = { read: true, write: true };

let world: ContractedPda;
let pda: TestPda;
let { service, fields, post } = {} as ContractedPda;
beforeAll(async () => {
  world = await startContractedPda(APPLICATIONS, ['bank-watch']);
  ({ pda, service, fields, post } = world);
  service.state.descriptions.set('steps-study', {
    contractId: 'steps-study',
    name: 'A study of steps',
    description: 'Counts them.',
    developer: 'University',
    namespaces: [{ namespace: 'fitness', ...BOTH }],
  });
  await pda.call('GET', '/api/v2.6/applications/steps-study/setup');
});
afterAll(() => world.close());

describe('the keys of the contracts service', () => {
  beforeEach(() => {
    service.state.down = false;
    pda.clock.advance(60_000);
  });

  it('are followed when they change in between: new tokens count, and those before until they expire', async () => {
    const before = await fields();
    service.rotate();
    expect((await post('read/fitness/steps', await fields())).status).toBe(200);
    expect((await post('read/fitness/steps', before)).status).toBe(200);
    pda.clock.advance(900_000);
    expect((await post('read/fitness/steps', before)).status).toBe(403);
    // A key that was taken away takes with it what it signed, also what was looked at before.
    const withOld = await fields();
    expect((await post('read/fitness/steps', withOld)).status).toBe(200);
    pda.clock.advance(60_000);
    service.rotate(false);
    expect((await post('read/fitness/steps', await fields())).status).toBe(200);
    expect((await post('read/fitness/steps', withOld)).status).toBe(403);
  });

  it('go on working while the service is down, also after a restart; one that is not known waits', async () => {
    expect((await post('read/fitness/steps', await fields())).status).toBe(200);
    service.state.down = true;
    await pda.restart();
    expect((await post('read/fitness/steps', await fields())).status).toBe(200);
    service.rotate();
    expect((await post('read/fitness/steps', await fields())).status).toBe(403);
    service.state.down = false;
    pda.clock.advance(60_000);
    expect((await post('read/fitness/steps', await fields())).status).toBe(200);
  });

  it('are not asked for over and over because somebody makes up names of keys', async () => {
    const before = service.looks();
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, n) => service.token({}, { kid: `made-up-${n}` })));
    const replies = await Promise.all(tokens.map(async (token) => post('read/fitness/steps', await fields({ token }))));
    expect(new Set(replies.map(({ status }) => status))).toStrictEqual(new Set([403]));
    expect(service.looks() - before).toBe(1);
  });
});

describe('joining and leaving', () => {
  it('keeps what the service says of the contract, for the owner', async () => {
    const study = async () => (await world.contracts()).find(({ contractId }) => contractId === 'steps-study');
    await expect.poll(async () => (await study())?.name).toBe('A study of steps');
    expect(await study()).toMatchObject({ developer: 'University', description: 'Counts them.', state: 'joined' });
  });

  it('is told to the service with a token of this PDA, until it hears; the owner gives and takes at once', async () => {
    await pda.call('GET', '/api/v2.6/applications/bank-watch/disable');
    await expect.poll(() => service.joined.has('bank-watch ada')).toBe(false);
    await expect
      .poll(async () => (await world.contracts()).map(({ contractId }) => contractId))
      .not.toContain('bank-watch');
    const asked = await fields(
      { contractId: 'bank-watch' },
      { sub: 'bank-watch', namespaces: [{ namespace: 'finance', ...BOTH }] },
    );
    expect((await post('read/finance/accounts', asked)).status).toBe(403);

    service.state.down = true;
    await pda.call('GET', '/api/v2.6/applications/bank-watch/setup');
    // The owner has agreed: that the service does not know yet is between it and the developer.
    expect((await post('read/finance/accounts', asked)).status).toBe(200);
    const bank = async () => (await world.contracts()).find(({ contractId }) => contractId === 'bank-watch');
    await expect.poll(async () => (await bank())?.problem).toContain('503');
    expect((await bank())?.state).toBe('joining');
    await pda.restart();
    service.state.down = false;
    pda.clock.advance(60_000);
    pda.pda.contracts.wake();
    await expect.poll(() => service.joined.has('bank-watch ada')).toBe(true);
    await expect.poll(async () => (await bank())?.state).toBe('joined');

    const told = service.heard.findLast(({ method }) => method === 'PUT');
    const { text: publicKey } = await pda.call('GET', '/publickey');
    expect(
      await verifyPdaToken(told?.token ?? '', publicKey, {
        resource: service.host,
        accessScope: 'contract',
        clock: pda.clock,
      }),
    ).toMatchObject({ contract: 'bank-watch', sub: 'ada', iss: pda.host });
  });

  it('goes on after a stop: a service that was down hears of it the next time', async () => {
    service.state.down = true;
    expect((await pda.call('POST', '/api/v2.6/owner/contracts/bank-watch/leave')).status).toBe(200);
    const asked = await fields(
      { contractId: 'bank-watch' },
      { sub: 'bank-watch', namespaces: [{ namespace: 'finance', ...BOTH }] },
    );
    expect((await post('read/finance/accounts', asked)).status).toBe(403);
    await pda.restart();
    expect((await world.contracts()).find(({ contractId }) => contractId === 'bank-watch')?.state).toBe('leaving');
    service.state.down = false;
    pda.clock.advance(60_000);
    pda.pda.contracts.wake();
    await expect.poll(() => service.joined.has('bank-watch ada')).toBe(false);
    await expect.poll(async () => (await world.contracts()).length).toBe(1);
    expect((await pda.call('POST', '/api/v2.6/owner/contracts/bank-watch/leave')).status).toBe(404);
  });

  it('that the service refuses gives nothing, says why, and can be tried again by setting up', async () => {
    service.state.refuse = 403;
    await pda.call('GET', '/api/v2.6/applications/bank-watch/setup');
    const bank = async () => (await world.contracts()).find(({ contractId }) => contractId === 'bank-watch');
    await expect.poll(async () => (await bank())?.state).toBe('failed');
    expect((await bank())?.problem).toBe('That name is taken.');
    const asked = await fields(
      { contractId: 'bank-watch' },
      { sub: 'bank-watch', namespaces: [{ namespace: 'finance', ...BOTH }] },
    );
    expect((await post('read/finance/accounts', asked)).status).toBe(403);
    service.state.refuse = 0;
    await pda.call('GET', '/api/v2.6/applications/bank-watch/setup');
    await expect.poll(async () => (await bank())?.state).toBe('joined');
    expect((await post('read/finance/accounts', asked)).status).toBe(200);
  });
});
