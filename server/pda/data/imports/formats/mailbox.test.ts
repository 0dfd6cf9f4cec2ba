import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ParsedEntry } from '../parsing/entries.ts';
import { createMailReader } from './mailbox.ts';

const timeZone = process.env['TZ'];
beforeEach(() => {
  process.env['TZ'] = 'Asia/Tokyo';
});
afterEach(() => {
  if (timeZone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = timeZone;
});

const dateOfMessage = async (date: string): Promise<unknown> => {
  const entries: ParsedEntry[] = [];
  const sink = { beginEntry: () => true, addEntry: (entry: ParsedEntry) => void entries.push(entry), addProblem() {} };
  const reader = createMailReader(sink, true);
  await reader.push(Buffer.from(`From: ada@example.com\nDate: ${date}\nMessage-ID: <1@example.com>\n\nHello\n`));
  await reader.end();
  return entries[0]?.data['date'];
};

it.each([
  ['Fri, 1 Mar 2024 08:00:00 +0100', '2024-03-01T07:00:00Z'],
  ['Fri, 1 Mar 2024 08:00:00 +0100 (CET)', '2024-03-01T07:00:00Z'],
  ['Fri, 1 Mar 2024 08:00:00 EDT', '2024-03-01T12:00:00Z'],
  ['Fri, 1 Mar 2024 08:00:00 -0000', '2024-03-01T08:00:00Z'],
  ['Fri, 1 Mar 2024\n 08:00 GMT', '2024-03-01T08:00:00Z'],
  ['soon', undefined],
])('reads the date %j', async (header, date) => {
  expect(await dateOfMessage(header)).toBe(date);
});

it.each([
  'Fri, 1 Mar 2024 08:00:00',
  'Fri, 1 Mar 2024 08:00:00 (CET)',
  'Fri Mar  1 08:00:00 2024',
  '3/1/2024 8:00:00 AM',
  '2024-03-01T08:00:00',
])('reads %j, which has no time zone, in UTC', async (header) => {
  expect(await dateOfMessage(header)).toBe('2024-03-01T08:00:00Z');
});

it.each([
  ['Fri, 1 Mar 2024 08:00:00 CET', '2024-03-01T07:00:00Z'],
  ['Fri, 1 Mar 2024 08:00:00 JST', '2024-02-29T23:00:00Z'],
  ['Fri, 1 Mar 2024 08:00:00 MET DST', '2024-03-01T08:00:00Z'],
  ['Fri, 1 Mar 2024 08:00:00 A', '2024-03-01T08:00:00Z'],
])('reads %j, whose time zone JavaScript does not know', async (header, date) => {
  expect(await dateOfMessage(header)).toBe(date);
});
