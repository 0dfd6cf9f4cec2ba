import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { calendarDaysSchema, calendarExtentSchema } from '../../../../wire/calendar.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
  await post('calendar/events', [
    { title: 'Conference', start: '2026-03-02T09:00', end: '2026-03-04T17:00' },
    { title: 'Holiday', start: '2026-03-04', end: '2026-03-06' },
    { title: 'Night shift', start: '2026-03-05 22:00', end: '2026-03-06 00:00' },
    { title: 'Dinner', start: '2026-03-02T19:30:00+05:00' },
    { title: 'Ends before it starts', start: '2026-03-09', end: '2026-03-01' },
    { title: ['a list'], start: '2026-03-20T10:00' },
    { title: 'No such day', start: '2026-02-31' },
    { title: 'No time', start: 'soon', end: '2026-03-01' },
    { start: { day: 1 } },
    'text',
  ]);
});
afterAll(() => pda.close());

const post = async (endpoint: string, json: unknown): Promise<void> => {
  expect((await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json })).status).toBe(201);
};
type Query = Readonly<Record<string, string>>;
const call = (name: string, query: Query) =>
  pda.call('GET', `/api/v2.6/owner/calendar/${name}?${new URLSearchParams(query).toString()}`);
const days = async (query: Query) => {
  const reply = await call('days', query);
  expect(reply.status, reply.text).toBe(200);
  return calendarDaysSchema.parse(reply.json).days;
};

const events = { endpoint: 'calendar/events', start: 'start', end: 'end', title: 'title' };
const MARCH = { from: '2026-03-01', to: '2026-03-31' };

describe('extent', () => {
  it('returns the first and last day, and counts records with and without a valid start', async () => {
    const reply = await call('extent', { endpoint: 'calendar/events', start: 'start', end: 'end' });
    expect(calendarExtentSchema.parse(reply.json)).toEqual({
      first: '2026-03-02',
      last: '2026-03-20',
      records: 6,
      excluded: 4,
    });
  });

  it('is empty if no record has a valid start', async () => {
    const reply = await call('extent', { endpoint: 'calendar/events', start: 'none' });
    expect(calendarExtentSchema.parse(reply.json)).toEqual({ first: null, last: null, records: 0, excluded: 10 });
  });
});

describe('days', () => {
  it('lists each record from its start to its end, in order of the start', async () => {
    const march = await days({ ...events, ...MARCH });
    expect(march.map(({ day, first }) => [day, ...first.map(({ title }) => title)])).toEqual([
      ['2026-03-02', 'Conference', 'Dinner'],
      ['2026-03-03', 'Conference'],
      ['2026-03-04', 'Conference', 'Holiday'],
      ['2026-03-05', 'Holiday', 'Night shift'],
      ['2026-03-09', 'Ends before it starts'],
      ['2026-03-20', null],
    ]);
    expect(march[0]?.first[1]).toMatchObject({ start: '2026-03-02 19:30' });
    expect(await days({ ...events, from: '2026-03-05', to: '2026-03-05' })).toEqual([march[3]]);
  });

  it('lists only the first records of a day, and counts all', async () => {
    await post(
      'calendar/busy',
      Array.from({ length: 500 }, (_, index) => ({ at: 1_772_539_200 + index, title: `event ${index}` })),
    );
    const busyQuery = { endpoint: 'calendar/busy', start: 'at', format: 'seconds', title: 'title', ...MARCH };
    const [day] = await days({ ...busyQuery, perDay: '3' });
    expect(day).toMatchObject({
      records: 500,
      first: [{ title: 'event 0' }, { title: 'event 1' }, { title: 'event 2' }],
    });
    expect((await days(busyQuery))[0]?.first).toHaveLength(100);
  });

  it('converts times in UTC to the local time of this computer', async () => {
    const time = new Date(Date.UTC(2026, 2, 14, 23, 30));
    const pad = (value: number): string => String(value).padStart(2, '0');
    const localTime = `2026-03-${pad(time.getDate())} ${pad(time.getHours())}:${pad(time.getMinutes())}`;
    await post('calendar/utc', [{ at: time.toISOString() }]);
    expect((await days({ endpoint: 'calendar/utc', start: 'at', ...MARCH }))[0]).toMatchObject({
      day: localTime.slice(0, 10),
      first: [{ start: localTime, title: null }],
    });
  });

  it('shows numbers in titles as they are stored', async () => {
    const titles = [7, 7.5, 12_345_678_901_234, true, null];
    await post(
      'calendar/titles',
      titles.map((title) => ({ at: '2026-03-07', title })),
    );
    const [day] = await days({ endpoint: 'calendar/titles', start: 'at', title: 'title', ...MARCH });
    expect(day?.first.map(({ title }) => title)).toEqual(['7', '7.5', '12345678901234', null, null]);
  });

  it('ignores an end that is not a date', async () => {
    await post('calendar/ends', [
      { start: '2026-03-07T10:00', end: '2026-19-39T10:00' },
      { start: '2026-03-07T10:00', end: '2026-03-32' },
    ]);
    const query = { endpoint: 'calendar/ends', start: 'start', end: 'end' };
    expect(calendarExtentSchema.parse((await call('extent', query)).json)).toMatchObject({ last: '2026-03-07' });
    expect(await days({ ...query, ...MARCH })).toMatchObject([{ day: '2026-03-07', records: 2 }]);
  });

  it('reads Unix times stored as strings, and dates without dashes', async () => {
    await post('calendar/texts', [{ at: '1772539200', day: 20_260_305 }]);
    const textQuery = { endpoint: 'calendar/texts', ...MARCH };
    expect(await days({ ...textQuery, start: 'at', format: 'seconds' })).toHaveLength(1);
    expect(await days({ ...textQuery, start: 'day' })).toMatchObject([{ day: '2026-03-05' }]);
  });

  it('rejects an invalid range, too many records per day and an unknown endpoint', async () => {
    for (const range of [
      { from: '2026-03-02', to: '2026-03-01' },
      { from: '2026-03-01', to: '2026-04-12' },
      { from: '2026-02-30', to: '2026-03-01' },
      { ...MARCH, perDay: '101' },
    ]) {
      const reply = await call('days', { ...events, ...range });
      expect([reply.status, errorOf(reply).error]).toEqual([400, 'invalid_input']);
    }
    expect((await call('days', { ...events, ...MARCH, endpoint: 'calendar/none' })).status).toBe(404);
  });
});
