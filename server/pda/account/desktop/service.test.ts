import { renameSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PASSPHRASE } from '../../../../tests/support/backups.ts';
import { newFolder, removeFolders } from '../../../../tests/support/server-process.ts';
import type { TestPda } from '../../../../tests/support/test-pda.ts';
import {
  fromServerSchema,
  type DesktopAnswer,
  type DesktopOrder,
  type DesktopStatus,
  type FromServer,
} from '../../../wire/desktop.ts';
import { ASKER, DAY, startDebits, type DebitCalls } from '../../sharing/debits/harness.test-support.ts';
import type { DesktopModule } from './index.ts';

let pda: TestPda;
let owner: DebitCalls;
let asker: DebitCalls;
let room: DesktopModule;
let said: FromServer[];
beforeEach(async () => {
  ({ pda, owner, asker } = await startDebits([ASKER], {
    publicUrl: 'https://ada.example',
    // Name resolution fails, so that no request leaves the machine.
    network: { resolve: () => Promise.reject(new Error('no such name')) },
  }));
  said = [];
  room = pda.pda.openDesktop({
    // What the app would not understand must never be said.
    send: (message) => Promise.resolve(void said.push(fromServerSchema.parse(message))),
  });
});
afterEach(() => pda.close());
afterAll(removeFolders);

const stands = (): DesktopStatus[] => said.filter((message) => message.type === 'stand');
const stand = async (): Promise<DesktopStatus> => {
  await expect.poll(() => stands().length).toBeGreaterThan(0);
  const last = stands().at(-1);
  if (last === undefined) throw new Error('it has said nothing');
  return last;
};
let lastId = 0;
const ask = async (order: DesktopOrder): Promise<DesktopAnswer> => {
  lastId += 1;
  const id = lastId;
  room.take({ type: 'order', id, order });
  const answer = (): DesktopAnswer | undefined =>
    said.filter((message) => message.type === 'answer').find((one) => one.id === id);
  await expect.poll(answer).toBeDefined();
  return z.custom<DesktopAnswer>().parse(answer());
};
const decisions = async (): Promise<unknown[]> => {
  const page = await pda.pda.ledger.list({ take: 100 });
  return page.rows
    .filter(({ action }) => action.endsWith('-notification'))
    .map(({ who, action, consent, address }) => [who.kind, action, consent?.name, consent?.detail, address]);
};

describe('the app', () => {
  it('hears nothing before it asks, and then at each change', async () => {
    await asker.propose('lunch');
    expect(said).toStrictEqual([]);
    room.take({ type: 'watch' });
    expect(await stand()).toMatchObject({
      requestsWaiting: 1,
      requests: [{ key: 'lunch', asker: 'Lunch Ltd' }],
      exposure: { state: 'unproven', address: 'https://ada.example' },
      functionsPaused: false,
    });
    await asker.propose('dinner');
    await expect.poll(async () => (await stand()).requests.map(({ key }) => key)).toStrictEqual(['dinner', 'lunch']);
    await owner.reject('lunch');
    await expect.poll(async () => (await stand()).requests.map(({ key }) => key)).toStrictEqual(['dinner']);
  });

  it('reports failing backups, an outdated newest backup, and the recovery', async () => {
    const disk = newFolder();
    const call = async (method: string, path: string, json?: object): Promise<void> => {
      const reply = await pda.call(method, `/api/v2.6/owner/backup/${path}`, json === undefined ? {} : { json });
      expect(reply.status).toBeLessThan(300);
      await pda.pda.backup.idle();
    };
    room.take({ type: 'watch' });
    expect((await stand()).backup).toBe('none');
    await call('POST', 'set-up', { folder: disk, passphrase: PASSPHRASE });
    await expect.poll(async () => (await stand()).backup).toBe('well');
    renameSync(disk, `${disk}-away`);
    await call('POST', 'run');
    await expect.poll(async () => (await stand()).backup).toBe('never');
    renameSync(`${disk}-away`, disk);
    await call('POST', 'run');
    await expect.poll(async () => (await stand()).backup).toBe('well');
    pda.clock.advance(2 * DAY * 1000 + 60_000);
    // Only time has passed. The app's poll and the minute timer re-evaluate.
    room.take({ type: 'watch' });
    await expect.poll(async () => (await stand()).backup).toBe('old');
  });

  it('shows a small request completely and of a larger one only that it exists', async () => {
    await asker.propose('lunch');
    await asker.propose('all', {
      bundle: { name: 'all', bundle: { e: { endpoints: [{ endpoint: 'calendar/events' }] } } },
    });
    room.take({ type: 'watch' });
    const [all, lunch] = (await stand()).requests;
    expect(lunch).toMatchObject({
      title: '“Lunch Ltd” (lunch.example.com) asks for data',
      body: 'name, when.hour of calendar/events (all records, also each new one), until 14 February 2026, 12:00 UTC. For: To suggest a day for lunch.',
    });
    expect(lunch?.fingerprint).not.toBeNull();
    expect(all).toMatchObject({ title: '“Lunch Ltd” asks for data', fingerprint: null });
  });

  it('denies: it is the same as in the dashboard, and in the history as a decision from a notification', async () => {
    const { permissionsLatest } = await asker.propose('lunch');
    const { permissionId } = permissionsLatest;
    expect(await ask({ type: 'deny', key: 'lunch', permissionId })).toMatchObject({ done: true });
    expect((await owner.find('lunch')).state).toBe('rejected');
    expect(await decisions()).toStrictEqual([
      ['owner', 'debit-deny-notification', 'lunch', permissionId, 'desktop app'],
    ]);
    // Once more there is nothing to decide.
    expect(await ask({ type: 'deny', key: 'lunch', permissionId })).toMatchObject({ done: false });
    expect(await decisions()).toHaveLength(1);
  });

  it('approves exactly what the notification showed', async () => {
    await asker.propose('lunch');
    room.take({ type: 'watch' });
    const [lunch] = (await stand()).requests;
    const { permissionId = '', fingerprint } = lunch ?? {};
    expect(await ask({ type: 'approve', key: 'lunch', permissionId, fingerprint: fingerprint ?? '' })).toMatchObject({
      done: true,
    });
    expect((await owner.find('lunch')).permissionsActive).toMatchObject({ permissionId, period: 30 * DAY });
    expect(await decisions()).toStrictEqual([
      ['owner', 'debit-approve-notification', 'lunch', permissionId, 'desktop app'],
    ]);
  });

  it('cannot approve what has changed since, what was never shown whole, or what is over', async () => {
    await asker.propose('lunch');
    room.take({ type: 'watch' });
    const [before] = (await stand()).requests;
    const { permissionId = '', fingerprint } = before ?? {};
    const approve = (id: string): Promise<DesktopAnswer> =>
      ask({ type: 'approve', key: 'lunch', permissionId: id, fingerprint: fingerprint ?? '' });

    // Another request took its place: neither under the old name nor under the new one.
    const { permissionsLatest } = await asker.update('lunch', { purpose: 'To sell it.' });
    expect(await approve(permissionId)).toMatchObject({
      done: false,
      reason: expect.stringContaining('changed since'),
    });
    expect(await approve(permissionsLatest.permissionId)).toMatchObject({
      done: false,
      reason: expect.stringContaining('not what the notification showed'),
    });
    expect(await ask({ type: 'deny', key: 'lunch', permissionId })).toMatchObject({ done: false });
    expect((await owner.find('lunch')).state).toBe('pending');

    await expect.poll(async () => (await stand()).requests[0]?.permissionId).toBe(permissionsLatest.permissionId);
    const [now] = (await stand()).requests;
    pda.clock.advance(31 * DAY * 1000);
    expect(
      await ask({
        type: 'approve',
        key: 'lunch',
        permissionId: now?.permissionId ?? '',
        fingerprint: now?.fingerprint ?? '',
      }),
    ).toMatchObject({ done: false });
    expect(await decisions()).toStrictEqual([]);
  });

  it('goes dark and light, pauses functions and resumes them', async () => {
    room.take({ type: 'watch' });
    await stand();
    expect(await ask({ type: 'go-dark' })).toMatchObject({ done: true });
    expect(await stand()).toMatchObject({ exposure: { state: 'dark' } });
    expect(await ask({ type: 'go-light' })).toMatchObject({ done: true });
    expect((await stand()).exposure.state).not.toBe('dark');
    expect(await ask({ type: 'pause-functions' })).toMatchObject({ done: true });
    expect((await stand()).functionsPaused).toBe(true);
    expect(await ask({ type: 'resume-functions' })).toMatchObject({ done: true });
    expect((await stand()).functionsPaused).toBe(false);
    expect(await ask({ type: 'woke-up' })).toMatchObject({ done: true });
  });

  it('uses the language of the app and approves the text that it showed in it', async () => {
    const { permissionsLatest } = await asker.propose('lunch');
    room.take({ type: 'watch', language: 'de' });
    const request = (await stand()).requests[0];
    expect(request?.title).toBe('„Lunch Ltd“ (lunch.example.com) möchte Daten');
    const order = { type: 'approve', key: 'lunch', permissionId: permissionsLatest.permissionId } as const;
    const fingerprint = request?.fingerprint ?? '';
    // Another one that watches in English was shown other words.
    room.take({ type: 'watch' });
    expect(await ask({ ...order, fingerprint })).toMatchObject({ done: false, code: 'wrong_state' });
    room.take({ type: 'watch', language: 'de' });
    expect(await ask({ ...order, fingerprint })).toMatchObject({ done: true });
    expect((await owner.find('lunch')).state).toBe('enabled');
  });

  it('ignores messages that it does not understand', async () => {
    const nonsense: unknown[] = [
      null,
      'stop',
      {},
      { type: 'watch', more: 1 },
      { type: 'order', id: 0, order: { type: 'go-dark' } },
      { type: 'order', id: 1, order: { type: 'delete-everything' } },
      { type: 'order', id: 1, order: { type: 'approve', key: 'lunch', permissionId: 'p' } },
      { type: 'order', id: 1, order: { type: 'deny', key: '../x', permissionId: 'p' } },
      { type: 'stop' },
    ];
    for (const message of nonsense) room.take(message);
    expect(await ask({ type: 'deny', key: 'unknown', permissionId: 'p' })).toMatchObject({ done: false });
    expect(said).toHaveLength(1);
  });

  it('that asks for very much at once is refused, not waited for', async () => {
    for (let id = 1000; id < 1100; id += 1) room.take({ type: 'order', id, order: { type: 'pause-functions' } });
    const answers = (done: boolean): number =>
      said.filter((message) => message.type === 'answer' && message.done === done).length;
    await expect.poll(() => answers(true) + answers(false)).toBe(100);
    expect(answers(true)).toBe(16);
  });
});
