import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createStandIn } from '../electron.test-support.ts';
import { createNotifications } from './notifications.ts';
import { aStatus } from './desktop-status.test-support.ts';
import { TEXTS } from '../texts/catalogue.ts';

const folder = mkdtempSync(join(tmpdir(), 'notifications-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const createRenewal = (key: string, period = 1) => ({
  key,
  id: `p-${key}@${period}`,
  title: `“The ${key}” can still read`,
  body: 'The permission was renewed automatically.',
});

it('announces a renewal once per period, even after a restart of the app, and opens its Data Debit on click', () => {
  const openedPages: string[] = [];
  const standIn = createStandIn(folder);
  const start = () =>
    createNotifications({
      electron: standIn.electron,
      platform: 'linux',
      announcedFile: join(folder, 'announced.json'),
      sendCommand: () => Promise.resolve({ done: true }),
      open: (page) => openedPages.push(page),
      texts: TEXTS.en,
    });
  const listTitles = (): unknown[] => standIn.notifications.map(({ options }) => options.title);
  const notifications = start();
  notifications.update(aStatus({ renewals: [createRenewal('contracts/a')] }));
  notifications.update(aStatus({ renewals: [createRenewal('contracts/a')] }));
  expect(listTitles()).toEqual(['“The contracts/a” can still read']);
  standIn.notifications[0]?.emit('click');
  expect(openedPages).toEqual(['/sharing/~/contracts/a']);
  notifications.close();

  const restartedNotifications = start();
  restartedNotifications.update(aStatus({ renewals: [createRenewal('contracts/a')] }));
  expect(listTitles()).toHaveLength(1);
  restartedNotifications.update(aStatus({ renewals: [createRenewal('b'), createRenewal('contracts/a', 2)] }));
  expect(listTitles().slice(1)).toEqual(['2 permissions were renewed']);
  standIn.notifications[1]?.emit('click');
  expect(openedPages.at(-1)).toBe('/sharing');
  restartedNotifications.close();
});

it('announces the summary of a week once, and opens Home on click', () => {
  const openedPages: string[] = [];
  const standIn = createStandIn(folder);
  const notifications = createNotifications({
    electron: standIn.electron,
    platform: 'linux',
    announcedFile: join(folder, 'weeks.json'),
    sendCommand: () => Promise.resolve({ done: true }),
    open: (page) => openedPages.push(page),
    texts: TEXTS.en,
  });
  const summaryOf = (id: string) => ({ id, title: `Your ${id}`, body: 'Acme read 120 records.' });
  notifications.update(aStatus({ summary: summaryOf('week 1') }));
  notifications.update(aStatus({ summary: summaryOf('week 1') }));
  notifications.update(aStatus());
  notifications.update(aStatus({ summary: summaryOf('week 2') }));
  expect(standIn.notifications.map(({ options }) => options.title)).toEqual(['Your week 1', 'Your week 2']);
  standIn.notifications[0]?.emit('click');
  expect(openedPages).toEqual(['/']);
  notifications.close();
});
