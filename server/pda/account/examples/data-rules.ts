import type { DebitProposal } from '../../../wire/debits.ts';
import { EXAMPLE_DEBIT } from '../../../wire/examples.ts';

/* Generates six weeks of fictional data, deterministically for a given day. */

const DAY_MS = 86_400_000;
const EXAMPLE_DAYS = 42;

/** Returns a generator of pseudo-random numbers in [0, 1). The same seed produces the same sequence. */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
const isWeekend = (time: number): boolean => [0, 6].includes(new Date(time).getUTCDay());

const createStepRecords = (today: number): unknown[] => {
  const random = seededRandom(7);
  return Array.from({ length: EXAMPLE_DAYS }, (_, dayIndex) => {
    const time = today - (EXAMPLE_DAYS - dayIndex) * DAY_MS;
    const steps = Math.round((isWeekend(time) ? 9500 : 6200) + (random() - 0.4) * 6000);
    return {
      example: true,
      date: dayOf(time),
      steps,
      distanceKm: Math.round(steps * 0.0075) / 10,
      pulse: { resting: 58 + Math.round(random() * 6), max: 120 + Math.round(random() * 45) },
      device: 'Example Band',
    };
  });
};

/** Title, place and hour (UTC). */
const EVENT_TEMPLATES = [
  ['Dentist', 'Mill Lane 4', 9],
  ['Lunch with a friend', 'Café at the station', 12],
  ['Choir', 'Parish hall', 19],
  ['Call with the bank', 'Phone', 15],
  ['Swimming', 'Town pool', 7],
  ['Parents’ evening', 'School', 18],
  ['Repair the bicycle', 'Workshop', 16],
] as const;

/** The events have the format of feed items, which the timeline shows as entries. */
const createCalendarEvents = (today: number): unknown[] => {
  const random = seededRandom(11);
  const records: unknown[] = [];
  for (let dayIndex = 0; dayIndex < EXAMPLE_DAYS; dayIndex += 1) {
    const chance = random();
    const [title, place, hour] = EVENT_TEMPLATES[Math.floor(random() * EVENT_TEMPLATES.length)] ?? EVENT_TEMPLATES[0];
    if (chance > 0.55) continue;
    const time = today - (EXAMPLE_DAYS - dayIndex) * DAY_MS + hour * 3_600_000;
    records.push({
      example: true,
      source: 'example-calendar',
      date: { iso: new Date(time).toISOString(), unix: time / 1000 },
      types: ['event'],
      title: { text: `${title} (example)` },
      location: { address: { name: place } },
      minutes: 45 + 15 * Math.floor(random() * 4),
    });
  }
  return records;
};

/** Name, category, lowest and highest price. */
const SHOPS = [
  ['Corner bakery', 'Food', 3, 9],
  ['Supermarket', 'Food', 18, 70],
  ['Railway', 'Travel', 4, 38],
  ['Bookshop', 'Books', 9, 30],
  ['Pharmacy', 'Health', 5, 22],
  ['Cinema', 'Leisure', 11, 26],
] as const;

const createPayments = (today: number): unknown[] => {
  const random = seededRandom(23);
  const records: unknown[] = [];
  for (let dayIndex = 0; dayIndex < EXAMPLE_DAYS; dayIndex += 1) {
    const day = dayOf(today - (EXAMPLE_DAYS - dayIndex) * DAY_MS);
    for (let count = Math.floor(random() * 3); count > 0; count -= 1) {
      const [to, category, low, high] = SHOPS[Math.floor(random() * SHOPS.length)] ?? SHOPS[0];
      const amount = Math.round((low + random() * (high - low)) * 100) / 100;
      records.push({ example: true, date: day, to, category, amount, currency: 'EUR' });
    }
  }
  return records;
};

/** Returns records by endpoint, oldest first. @param now Unix milliseconds */
export const createExampleRecords = (now: number): Record<string, unknown[]> => {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  return {
    'example-steps/daily-steps': createStepRecords(today),
    'example-calendar/events': createCalendarEvents(today),
    'example-spending/payments': createPayments(today),
  };
};

export const EXAMPLE_FILE_SOURCE = 'example-notes';
export const EXAMPLE_FILES = [
  {
    name: 'packing-list.txt',
    title: 'Packing list (example)',
    text: 'Example file.\n\nFor the weekend in the hills:\n- boots\n- rain jacket\n- the good map\n- chocolate, more than last time\n',
  },
  {
    name: 'readings.csv',
    title: 'Meter readings (example)',
    text: 'date,meter,value\n2026-01-01,power,10412\n2026-02-01,power,10689\n2026-03-01,power,10920\n',
  },
] as const;

/** @param now Unix milliseconds */
export const createExampleProposal = (now: number): DebitProposal => ({
  dataDebitKey: EXAMPLE_DEBIT,
  bundle: {
    name: 'example-walk-report',
    bundle: {
      walks: {
        endpoints: [
          {
            endpoint: 'example-steps/daily-steps',
            mapping: { day: 'date', steps: 'steps', restingPulse: 'pulse.resting' },
          },
        ],
        orderBy: 'day',
        ordering: 'descending',
        limit: 14,
      },
    },
  },
  start: now,
  period: 30 * 86_400,
  purpose:
    'An example: a walking report would show how your steps and your resting pulse are related. No organisation is behind it, and no data leaves this computer, whatever you decide.',
  cancelAtPeriodEnd: true,
  termsUrl: 'https://walk-report.example/terms',
  requestClientName: 'Walk Report (example)',
  requestClientUrl: 'https://walk-report.example/',
  requestClientLogoUrl: 'https://walk-report.example/logo.png',
});
