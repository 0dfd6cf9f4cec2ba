import { expect, it } from 'vitest';
import type { ParsedEntry } from '../parsing/entries.ts';
import { createCalendarReader } from './calendar.ts';

const readStart = async (start: string): Promise<unknown[]> => {
  const results: unknown[] = [];
  const reader = createCalendarReader({
    beginEntry: () => true,
    addEntry: ({ data }: ParsedEntry) => void results.push(data['start']),
    addProblem: (_, problem) => void results.push(problem),
  });
  const lines = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:1', `DTSTART${start}`, 'END:VEVENT', 'END:VCALENDAR', ''];
  await reader.push(Buffer.from(lines.join('\r\n')));
  await reader.end();
  return results;
};

it.each([
  [';VALUE=DATE:20240229', '2024-02-29'],
  [':20240301T235959Z', '2024-03-01T23:59:59Z'],
  [':20240301T240000', '2024-03-02T00:00:00'],
  [';TZID=Europe/Berlin:20240331T023000', '2024-03-31T01:30:00Z'],
  [':00010101T000000Z', '0001-01-01T00:00:00Z'],
])('reads the start %s', async (start, expected) => {
  expect(await readStart(start)).toEqual([expected]);
});

it.each([':20230229', ':20240230T100000Z', ':20241301T100000', ':20240301T106000', ':20240301T250000'])(
  'reports the impossible start %s instead of moving it',
  async (start) => {
    expect(await readStart(start)).toEqual(['this event has no start time']);
  },
);
