import { expect, it } from 'vitest';
import { functionInfoSchema } from './functions.ts';

const info = (versionReleaseDate: unknown) => ({
  version: '1.0.0',
  versionReleaseDate,
  name: 'Steps',
  headline: 'Counts',
  description: { text: 'Counts steps.' },
});

it('keeps RFC 3339 release dates as published, converts other ISO 8601 dates, and rejects other values', () => {
  const parseDate = (date: unknown): unknown => functionInfoSchema.parse(info(date)).versionReleaseDate;
  for (const date of ['2026-11-01T00:00:00Z', '2026-11-01T00:00:00.000+01:00', null, undefined])
    expect(parseDate(date)).toBe(date);
  expect(parseDate('2026-11-01T00:00:00+0100')).toBe('2026-10-31T23:00:00.000Z');
  expect(parseDate('2026-11-01')).toBe('2026-11-01T00:00:00.000Z');
  expect(functionInfoSchema.parse(functionInfoSchema.parse(info('20261101')))).toMatchObject({
    versionReleaseDate: '2026-11-01T00:00:00.000Z',
  });
  for (const invalidDate of ['last year', '+275760-09-13T00:00:00Z', 1_793_491_200_000])
    expect(functionInfoSchema.safeParse(info(invalidDate)).error?.issues).toMatchObject([
      { path: ['versionReleaseDate'], message: 'must be an ISO 8601 date and time such as 2026-01-31T09:30:00Z' },
    ]);
});
