import { renameSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PASSPHRASE } from '../../../../tests/support/backups.ts';
import { newFolder, removeFolders } from '../../../../tests/support/server-process.ts';
import type { TestPda } from '../../../../tests/support/test-pda.ts';
import {
  fromServerSchema,
  type DesktopCommand,
  type DesktopResponse,
  type DesktopStatus,
  type FromServer,
} from '../../../wire/desktop.ts';
import { REQUESTER, DAY_SECONDS, startDebits, type DebitCalls } from '../../sharing/debits/harness.test-support.ts';
import type { DesktopModule } from './index.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

let pda: TestPda;
let owner: DebitCalls;
let requester: DebitCalls;
let desktop: DesktopModule;
let messages: FromServer[];
beforeEach(async () => {
  ({ pda, owner, requester } = await startDebits([REQUESTER], {
    publicUrl: 'https://ada.example',
    // Name resolution fails, so that no request leaves the machine.
    network: { resolve: () => Promise.reject(new Error('no such name')) },
  }));
  messages = [];
  desktop = pda.pda.openDesktop({
    // Throws for any message that the app would reject.
    send: (message) => Promise.resolve(void messages.push(fromServerSchema.parse(message))),
  });
});
afterEach(() => pda.close());
afterAll(removeFolders);

const listStatuses = (): DesktopStatus[] => messages.filter((message) => message.type === 'status');
const latestStatus = async (): Promise<DesktopStatus> => {
  await expect.poll(() => listStatuses().length).toBeGreaterThan(0);
  const lastStatus = listStatuses().at(-1);
  if (lastStatus === undefined) throw new Error('no status was sent');
  return lastStatus;
};
let lastId = 0;
const execute = async (command: DesktopCommand): Promise<DesktopResponse> => {
  lastId += 1;
  const id = lastId;
  desktop.receive({ type: 'command', id, command });
  const findResponse = (): DesktopResponse | undefined =>
    messages.filter((message) => message.type === 'response').find((message) => message.id === id);
  await expect.poll(findResponse).toBeDefined();
  return z.custom<DesktopResponse>().parse(findResponse());
};
const listDecisions = async (): Promise<unknown[]> => {
  const page = await pda.pda.ledger.list({ take: 100 });
  return page.rows
    .filter(({ action }) => action.endsWith('-notification'))
    .map(({ who, action, consent, address }) => [who.kind, action, consent?.name, consent?.detail, address]);
};

describe('the desktop app', () => {
  it('receives a status only after it has subscribed, and then after each change', async () => {
    await requester.propose('lunch');
    expect(messages).toStrictEqual([]);
    desktop.receive({ type: 'watch' });
    expect(await latestStatus()).toMatchObject({
      requestsWaiting: 1,
      requests: [{ key: 'lunch', requester: 'Lunch Ltd' }],
      exposure: { state: 'unproven', address: 'https://ada.example' },
      functionsPaused: false,
    });
    await requester.propose('dinner');
    await expect
      .poll(async () => (await latestStatus()).requests.map(({ key }) => key))
      .toStrictEqual(['dinner', 'lunch']);
    await owner.reject('lunch');
    await expect.poll(async () => (await latestStatus()).requests.map(({ key }) => key)).toStrictEqual(['dinner']);
  });

  it.skipIf(!IS_THOROUGH_RUN)('receives the status of failing, recovered and outdated backups', async () => {
    const disk = newFolder();
    const call = async (method: string, path: string, json?: object): Promise<void> => {
      const reply = await pda.call(method, `/api/v2.6/owner/backup/${path}`, json === undefined ? {} : { json });
      expect(reply.status).toBeLessThan(300);
      await pda.pda.backup.waitUntilIdle();
    };
    desktop.receive({ type: 'watch' });
    expect((await latestStatus()).backup).toBe('none');
    await call('POST', 'set-up', { folder: disk, passphrase: PASSPHRASE });
    await expect.poll(async () => (await latestStatus()).backup).toBe('well');
    renameSync(disk, `${disk}-away`);
    await call('POST', 'run');
    await expect.poll(async () => (await latestStatus()).backup).toBe('never');
    renameSync(`${disk}-away`, disk);
    await call('POST', 'run');
    await expect.poll(async () => (await latestStatus()).backup).toBe('well');
    pda.clock.advance(2 * DAY_SECONDS * 1000 + 60_000);
    // Only the time has changed, so the new subscription recomputes the status, as the timer would.
    desktop.receive({ type: 'watch' });
    await expect.poll(async () => (await latestStatus()).backup).toBe('old');
  });

  it('receives all terms of a small request, and no fingerprint for a larger one', async () => {
    await requester.propose('lunch');
    await requester.propose('all', {
      bundle: { name: 'all', bundle: { e: { endpoints: [{ endpoint: 'calendar/events' }] } } },
    });
    desktop.receive({ type: 'watch' });
    const [all, lunch] = (await latestStatus()).requests;
    expect(lunch).toMatchObject({
      title: '“Lunch Ltd” (lunch.example.com) asks for data',
      body: 'name, when.hour of calendar/events (all records, including new ones), until 14 February 2026, 12:00 UTC. For: To suggest a day for lunch.',
    });
    expect(lunch?.fingerprint).not.toBeNull();
    expect(all).toMatchObject({ title: '“Lunch Ltd” asks for data', fingerprint: null });
  });

  it('can deny a request, which the access history shows as a decision from a notification', async () => {
    const { permissionsLatest } = await requester.propose('lunch');
    const { permissionId } = permissionsLatest;
    expect(await execute({ type: 'deny', key: 'lunch', permissionId })).toMatchObject({ done: true });
    expect((await owner.find('lunch')).state).toBe('rejected');
    expect(await listDecisions()).toStrictEqual([
      ['owner', 'debit-deny-notification', 'lunch', permissionId, 'desktop app'],
    ]);
    expect(await execute({ type: 'deny', key: 'lunch', permissionId })).toMatchObject({ done: false });
    expect(await listDecisions()).toHaveLength(1);
  });

  it('can approve exactly the request that the notification showed', async () => {
    await requester.propose('lunch');
    desktop.receive({ type: 'watch' });
    const [lunch] = (await latestStatus()).requests;
    const { permissionId = '', fingerprint } = lunch ?? {};
    expect(
      await execute({ type: 'approve', key: 'lunch', permissionId, fingerprint: fingerprint ?? '' }),
    ).toMatchObject({
      done: true,
    });
    expect((await owner.find('lunch')).permissionsActive).toMatchObject({ permissionId, period: 30 * DAY_SECONDS });
    expect(await listDecisions()).toStrictEqual([
      ['owner', 'debit-approve-notification', 'lunch', permissionId, 'desktop app'],
    ]);
  });

  it('cannot approve a request that was replaced, differs from the notification, or has expired', async () => {
    await requester.propose('lunch');
    desktop.receive({ type: 'watch' });
    const [request] = (await latestStatus()).requests;
    const { permissionId = '', fingerprint } = request ?? {};
    const approve = (id: string): Promise<DesktopResponse> =>
      execute({ type: 'approve', key: 'lunch', permissionId: id, fingerprint: fingerprint ?? '' });

    // After the replacement, neither permission can be approved with the old fingerprint.
    const { permissionsLatest } = await requester.update('lunch', { purpose: 'To sell it.' });
    expect(await approve(permissionId)).toMatchObject({
      done: false,
      reason: expect.stringContaining('changed since'),
    });
    expect(await approve(permissionsLatest.permissionId)).toMatchObject({
      done: false,
      reason: expect.stringContaining('differs from the one that the notification showed'),
    });
    expect(await execute({ type: 'deny', key: 'lunch', permissionId })).toMatchObject({ done: false });
    expect((await owner.find('lunch')).state).toBe('pending');

    await expect
      .poll(async () => (await latestStatus()).requests[0]?.permissionId)
      .toBe(permissionsLatest.permissionId);
    const [replacement] = (await latestStatus()).requests;
    pda.clock.advance(31 * DAY_SECONDS * 1000);
    expect(
      await execute({
        type: 'approve',
        key: 'lunch',
        permissionId: replacement?.permissionId ?? '',
        fingerprint: replacement?.fingerprint ?? '',
      }),
    ).toMatchObject({ done: false });
    expect(await listDecisions()).toStrictEqual([]);
  });

  it('can close and reopen the public address, and pause and resume functions', async () => {
    desktop.receive({ type: 'watch' });
    await latestStatus();
    expect(await execute({ type: 'go-dark' })).toMatchObject({ done: true });
    // The status is sent after the response.
    await expect.poll(async () => (await latestStatus()).exposure.state).toBe('dark');
    expect(await execute({ type: 'go-light' })).toMatchObject({ done: true });
    await expect.poll(async () => (await latestStatus()).exposure.state).not.toBe('dark');
    expect(await execute({ type: 'pause-functions' })).toMatchObject({ done: true });
    await expect.poll(async () => (await latestStatus()).functionsPaused).toBe(true);
    expect(await execute({ type: 'resume-functions' })).toMatchObject({ done: true });
    await expect.poll(async () => (await latestStatus()).functionsPaused).toBe(false);
    expect(await execute({ type: 'woke-up' })).toMatchObject({ done: true });
  });

  it('receives texts in its language, and cannot approve a request shown in a different language', async () => {
    const { permissionsLatest } = await requester.propose('lunch');
    desktop.receive({ type: 'watch', language: 'de' });
    const request = (await latestStatus()).requests[0];
    expect(request?.title).toBe('„Lunch Ltd“ (lunch.example.com) möchte Daten');
    const command = { type: 'approve', key: 'lunch', permissionId: permissionsLatest.permissionId } as const;
    const fingerprint = request?.fingerprint ?? '';
    desktop.receive({ type: 'watch' });
    expect(await execute({ ...command, fingerprint })).toMatchObject({ done: false, code: 'wrong_state' });
    desktop.receive({ type: 'watch', language: 'de' });
    expect(await execute({ ...command, fingerprint })).toMatchObject({ done: true });
    expect((await owner.find('lunch')).state).toBe('enabled');
  });

  it('receives no response to invalid messages, and none to `stop`', async () => {
    const unansweredMessages: unknown[] = [
      null,
      'stop',
      {},
      { type: 'watch', more: 1 },
      { type: 'command', id: 0, command: { type: 'go-dark' } },
      { type: 'command', id: 1, command: { type: 'delete-everything' } },
      { type: 'command', id: 1, command: { type: 'approve', key: 'lunch', permissionId: 'p' } },
      { type: 'command', id: 1, command: { type: 'deny', key: '../x', permissionId: 'p' } },
      { type: 'stop' },
    ];
    for (const message of unansweredMessages) desktop.receive(message);
    expect(await execute({ type: 'deny', key: 'unknown', permissionId: 'p' })).toMatchObject({ done: false });
    expect(messages).toHaveLength(1);
  });

  it('can execute at most 16 commands at a time', async () => {
    for (let id = 1000; id < 1100; id += 1)
      desktop.receive({ type: 'command', id, command: { type: 'pause-functions' } });
    const countResponses = (done: boolean): number =>
      messages.filter((message) => message.type === 'response' && message.done === done).length;
    await expect.poll(() => countResponses(true) + countResponses(false)).toBe(100);
    expect(countResponses(true)).toBe(16);
  });
});
