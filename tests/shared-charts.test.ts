import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import type { ChartSettings } from '../server/wire/pinned-charts.ts';
import { createInvitedGuest, titleOf } from './support/guests.ts';
import { cellsIn, chartOf, createSharing, pathOf } from './support/shared-views.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';
import { addUser, removeUsers } from './support/users.ts';

const DAY_MS = 86_400_000;

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());
beforeEach(async () => {
  await removeUsers(pda);
});

const { store, requestShare, share, stop } = createSharing(() => pda);

describe('chart shared with a guest', () => {
  beforeAll(async () => {
    await store('walks/charted', [
      { day: '2026-03-01', steps: 10, mood: 'good' },
      { day: '2026-03-01', steps: 30, mood: 'good' },
      { day: '2026-03-03', steps: 5, mood: '<b>' },
    ]);
  });
  const time = { kind: 'time', time: 'day', field: 'steps', per: 'day', mark: 'bar', compare: false } as const;

  it('shows aggregates over time as a drawing and as a table', async () => {
    const { browser, userId } = await createInvitedGuest(pda, []);
    const view = await share('walks/charted', userId, chartOf({ ...time, aggregation: 'mean' }));
    const page = await browser.get(pathOf(view));
    expect([page.status, titleOf(page)]).toEqual([200, 'Long walks']);
    expect(cellsIn(page)).toEqual([
      ['3 Mar 2026', '5'],
      ['1 Mar 2026', '20'],
    ]);
    expect(page.text.match(/<rect /gu)).toHaveLength(2);
    expect(page.text).not.toMatch(/<script|style=|mood|good/u);
    const lineChart = await share('walks/charted', userId, chartOf({ ...time, aggregation: 'max', mark: 'line' }));
    expect((await browser.get(pathOf(lineChart))).text).toContain('<polyline');
  });

  it('lists the last values of a long chart, and does not claim that these are all values', async () => {
    const hours = Array.from({ length: 1001 }, (_, n) => ({ at: new Date(Date.UTC(2026, 0, 1, n)).toISOString() }));
    await store('walks/hours', hours);
    const { browser, userId } = await createInvitedGuest(pda, []);
    const chart = chartOf({ ...time, time: 'at', field: undefined, per: 'hour', aggregation: 'count' });
    const page = await browser.get(pathOf(await share('walks/hours', userId, chart)));
    expect(cellsIn(page)).toHaveLength(1000);
    expect(page.text).toContain('The table contains the last 1,000 values.');
    expect(page.text).not.toContain('The table below has the same values.');
  });

  it('shows a distribution and the frequent values of a field', async () => {
    const { browser, userId } = await createInvitedGuest(pda, []);
    const valuesChart = await share('walks/charted', userId, chartOf({ kind: 'values', field: 'mood' }), {
      name: 'Mood',
    });
    expect(cellsIn(await browser.get(pathOf(valuesChart))).map((row) => row.slice(0, 2))).toEqual([
      ['good', '2'],
      ['&lt;b&gt;', '1'],
    ]);
    const distributionChart = await share('walks/charted', userId, chartOf({ kind: 'distribution', field: 'steps' }));
    const counts = cellsIn(await browser.get(pathOf(distributionChart))).map(([, count]) => Number(count));
    expect([counts.length, counts.reduce((sum, count) => sum + count, 0)]).toEqual([30, 3]);
  });

  it('is limited to the last days, counted from today', async () => {
    const { browser, userId } = await createInvitedGuest(pda, []);
    const view = await share(
      'walks/charted',
      userId,
      chartOf({ ...time, aggregation: 'sum', time: undefined, lastDays: 7 }),
    );
    expect(cellsIn(await browser.get(pathOf(view))).map(([, sum]) => sum)).toEqual(['45']);
    pda.clock.advance(8 * DAY_MS);
    pda.token = await pda.signIn();
    const { browser: laterBrowser } = await createInvitedGuest(pda, [], 'Alan');
    const alan = pda.pda.users.list().find(({ name }) => name === 'Alan')?.userId ?? '';
    const laterView = await share('walks/charted', alan, view.definition);
    expect((await laterBrowser.get(pathOf(laterView))).text).toContain('This chart has no values at the moment.');
  });
});

describe('chart of the last days, shared with a guest', () => {
  it.each(['hour', 'day', 'week'] as const)('contains no values of later days per %s', async (per) => {
    const dayAt = (days: number): string => new Date(pda.clock.now() + days * DAY_MS).toISOString().slice(0, 10);
    const endpoint = `walks/planned-${per}`;
    await store(endpoint, [
      { day: dayAt(-20), steps: 1 },
      { day: dayAt(-1), steps: 2 },
      { day: dayAt(20), steps: 4 },
    ]);
    const { browser, userId } = await createInvitedGuest(pda, []);
    const chart = {
      kind: 'time',
      time: 'day',
      field: 'steps',
      aggregation: 'sum',
      mark: 'bar',
      compare: false,
    } as const;
    const view = await share(endpoint, userId, chartOf({ ...chart, per, lastDays: 7 }));
    expect(cellsIn(await browser.get(pathOf(view))).map(([, sum]) => sum)).toEqual(['2']);
  });
});

describe('shared chart of days, pairs of numbers, events or places', () => {
  const openChart = async (endpoint: string, chart: ChartSettings, query = '') => {
    const { browser, userId } = await createInvitedGuest(pda, []);
    const view = await share(endpoint, userId, chartOf(chart));
    const page = await browser.get(`${pathOf(view)}${query}`);
    expect(page.status).toBe(200);
    expect(page.text.slice(page.text.indexOf('<main'))).not.toMatch(/<script|style="|secret|NaN|Infinity/u);
    return { page, view, browser, userId };
  };
  /** Returns the entry of a guest's newest read in the access history. */
  const findNewestRead = async (userId: string) =>
    ledgerPageSchema.parse((await pda.call('GET', `/api/v2.6/owner/ledger?user=${userId}`)).json).rows[0];

  it('shows the days of the chosen year only, without impossible dates', async () => {
    await store('walks/years', [
      { day: '2025-12-31', steps: 4 },
      { day: '2026-02-01', steps: 10 },
      { day: '2026-02-01', steps: 20 },
      { day: '2026-02-03', steps: 1 },
      { day: '2026-19-39', steps: 7, secret: 'x' },
    ]);
    const heat = { kind: 'heat', time: 'day', field: 'steps', aggregation: 'sum' } as const;
    const { page, userId } = await openChart('walks/years', { ...heat, year: '2026' });
    expect(cellsIn(page)).toEqual([
      ['3 Feb 2026', '1'],
      ['1 Feb 2026', '30'],
    ]);
    expect(page.text.match(/<rect /gu)).toHaveLength(365);
    expect(page.text.match(/data-level="4"/gu)).toHaveLength(1);
    expect(await findNewestRead(userId)).toMatchObject({ records: 0, fields: ['steps', 'day'] });
    await removeUsers(pda);
    expect((await openChart('walks/years', { ...heat, year: '2024' })).page.text).toContain('no values at the moment');
  });

  it('shows a sample of many pairs of numbers, with the names of the fields', async () => {
    await store(
      'walks/pairs',
      Array.from({ length: 900 }, (_, n) => ({ km: n / 10, heartRate: 60 + (n % 50), secret: n })),
    );
    await store('walks/pairs', [
      { km: 'far', heartRate: 1 },
      ...Array.from({ length: 700 }, (_, n) => ({ km: n, heartRate: 99 })),
    ]);
    const scatter = { kind: 'scatter', field: 'km', second: 'heartRate' } as const;
    const { page, userId } = await openChart('walks/pairs', scatter);
    expect(page.text).toContain('A sample of 800 of 1,600 points.');
    expect(page.text.match(/h0/gu)).toHaveLength(800);
    expect(cellsIn(page)).toHaveLength(800);
    expect(page.text).toMatch(/Horizontal: Km · Vertical: Heart rate, \d+ to \d+/u);
    expect(await findNewestRead(userId)).toMatchObject({ records: 800, fields: ['km', 'heartRate'] });
  });

  const EVENTS = [
    { name: '<b>Lunch</b>', start: '2026-03-02T12:30:00', end: '2026-03-02T13:00:00', secret: 'with whom' },
    { name: 'Holiday', start: '2026-03-30', end: '2026-04-03' },
    { start: '2026-03-02' },
    { name: 'Later', start: '2026-06-01' },
    { name: 'No day', start: 'soon' },
  ];
  const calendar = { kind: 'calendar', time: 'start', second: 'end', field: 'name' } as const;

  it('shows a calendar month by month', async () => {
    await store('walks/events', EVENTS);
    const { page, view, browser, userId } = await openChart('walks/events', calendar, '?month=2026-03');
    expect(cellsIn(page)).toEqual([
      ['2 Mar', '', 'Without a title'],
      ['2 Mar', '12:30', '&lt;b&gt;Lunch&lt;/b&gt;'],
      ['30 Mar', '', 'Holiday'],
      ['31 Mar', '', 'Holiday'],
    ]);
    expect(page.text).toContain(`rel="next" href="${pathOf(view)}?month=2026-04"`);
    expect(page.text).not.toContain('rel="prev"');
    expect(await findNewestRead(userId)).toMatchObject({ records: 3, fields: ['name', 'start', 'end'] });
    const april = await browser.get(`${pathOf(view)}?month=2026-04`);
    expect(cellsIn(april).map(([day]) => day)).toEqual(['1 Apr', '2 Apr']);
    expect((await browser.get(`${pathOf(view)}?month=2026-05`)).text).toContain('This month has no records.');
    // A month before the first or after the last record is replaced by the month of that record.
    for (const [query, month] of [
      ['2020-01', 'March 2026'],
      ['9999-12', 'June 2026'],
    ])
      expect((await browser.get(`${pathOf(view)}?month=${query}`)).text, query).toContain(`<h2>${month}</h2>`);
    for (const query of ['2026-13', '%27%3B--', '<b>'])
      expect((await browser.get(`${pathOf(view)}?month=${query}`)).status, query).toBe(200);
  });

  it('lists the first records of a full day, and how many more there are', async () => {
    await store(
      'walks/full',
      Array.from({ length: 25 }, (_, n) => ({ name: `Event ${n}`, start: '2026-03-02T08:00:00' })),
    );
    const { page } = await openChart('walks/full', { kind: 'calendar', time: 'start', field: 'name' });
    expect(cellsIn(page)).toHaveLength(21);
    expect(cellsIn(page).at(-1)).toEqual(['2 Mar', '', '5 more']);
    expect(page.text).toContain('<li>22 more</li>');
  });

  it('shows a map with places and lines, within the chosen interval only', async () => {
    await store('walks/places', [
      { lat: 52.52, lng: 13.405, at: '2026-03-01T10:00:00Z', title: 'secret' },
      { lat: 52.52, lng: 13.405, at: '2026-03-01T11:00:00Z' },
      { lat: 48.137, lng: 11.575, at: '2026-03-02T10:00:00Z' },
      { lat: -33.9, lng: 18.4, at: '2026-05-01T10:00:00Z' },
      { lat: 95, lng: 0, at: '2026-03-01T10:00:00Z' },
    ]);
    const map = { kind: 'map', field: 'lat', second: 'lng', time: 'at', connect: true } as const;
    const to = Date.parse('2026-04-01') / 1000;
    const { page, userId } = await openChart('walks/places', { ...map, to });
    expect(cellsIn(page)).toEqual([
      ['52.52°\u00A0N, 13.405°\u00A0E', '2'],
      ['48.137°\u00A0N, 11.575°\u00A0E', '1'],
    ]);
    expect(page.text).toMatch(/<svg class="map" role="img"[^>]*>.*class="track" d="M[\d. L]+".*class="marker"/u);
    expect(page.text).not.toContain('33.9');
    // One place shows a single record, which the entry counts. The other shows only the number of its records.
    expect(await findNewestRead(userId)).toMatchObject({ records: 1, fields: ['lat', 'at', 'lng'] });
    await removeUsers(pda);
    const { page: fullPage } = await openChart('walks/places', { ...map, connect: false });
    expect(cellsIn(fullPage)).toContainEqual(['33.9°\u00A0S, 18.4°\u00A0E', '1']);
    expect(fullPage.text).not.toContain('class="track"');
  });

  it('shows GeoJSON, and nothing without positions', async () => {
    await store('walks/shapes', [
      { shape: { type: 'Point', coordinates: [13.4, 52.5] } },
      {
        shape: {
          type: 'LineString',
          coordinates: [
            [13, 52],
            [14, 53],
          ],
        },
      },
    ]);
    const map = { kind: 'map', field: 'shape', connect: false } as const;
    expect((await openChart('walks/shapes', map)).page.text).toContain('class="track"');
    await removeUsers(pda);
    const { page } = await openChart('walks/shapes', { ...map, field: 'nothing' });
    expect(page.text).toContain('This chart has no values at the moment.');
  });

  it('ends when the owner stops sharing it', async () => {
    await store('walks/stopped', EVENTS);
    const { view, browser } = await openChart('walks/stopped', calendar);
    await stop(view);
    expect((await browser.get(pathOf(view))).status).toBe(404);
  });

  it('is refused if it has an interval but no time field', async () => {
    const { userId } = await addUser(pda, 'grace');
    const chart = { kind: 'map', field: 'lat', second: 'lng', connect: false, from: 1 };
    expect((await requestShare('walks/places', userId, { kind: 'chart', chart })).status).toBe(400);
  });
});
