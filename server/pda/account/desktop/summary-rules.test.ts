import { describe, expect, it } from 'vitest';
import { desktopSummarySchema } from '../../../wire/desktop.ts';
import type { WeeklySummary } from '../../../wire/weekly-summary.ts';
import { describeSummary } from './summary-rules.ts';

const reader = (name: string | null, fields: Partial<WeeklySummary['readers'][number]> = {}) => ({
  who: { kind: 'application' as const, name: 'acme' },
  name,
  requests: 3,
  refused: 0,
  records: 120,
  endpoints: [],
  ...fields,
});
const summary = (fields: Partial<WeeklySummary> = {}): WeeklySummary => ({
  from: '2026-02-23',
  to: '2026-03-01',
  readers: [],
  moreReaders: 0,
  isPartial: false,
  news: [],
  ending: [],
  moreEnding: 0,
  ...fields,
});
const nameOf = (endpoint: string): string => (endpoint === 'fitness/steps' ? 'Daily steps' : endpoint);
const lunch = { kind: 'debit' as const, id: 'lunch', name: 'Lunch Ltd', end: '2026-03-09T12:00:00.000Z' };

describe('the notification about a week', () => {
  it('lists the readers, what they read, and what ends soon', () => {
    const week = summary({
      readers: [
        reader('Acme', { endpoints: ['fitness/steps'] }),
        reader(null, { who: { kind: 'visitor', name: '' }, requests: 7, refused: 7, records: 0 }),
        reader('Third'),
      ],
      moreReaders: 1,
      ending: [lunch, { ...lunch, id: 'dinner' }],
    });
    expect(describeSummary(week, nameOf)).toEqual({
      id: 'week 2026-02-23',
      title: 'Your week from 23 February to 1 March',
      body: 'Acme read 120 records from Daily steps. Anonymous visitors: 7 requests refused. 2 more readers. Your consent for Lunch Ltd and 1 other end soon.',
    });
    expect(describeSummary(week, nameOf, 'de')).toEqual({
      id: 'week 2026-02-23',
      title: 'Deine Woche vom 23. Februar bis 1. März',
      body: 'Acme: 120 Datensätze aus Daily steps gelesen. Anonyme Besucher: 7 Anfragen abgewiesen. Außerdem 2 weitere Leser. Deine Einwilligung für Lunch Ltd und 1 weitere Freigabe enden bald.',
    });
  });

  it('states that only the owner accessed the data if there were no readers', () => {
    expect(describeSummary(summary({ ending: [lunch] }), nameOf).body).toBe(
      'Only you accessed your data. Your consent for Lunch Ltd ends soon.',
    );
  });

  it('counts everything that ends soon, including what the summary omits', () => {
    const week = summary({ ending: [lunch, { ...lunch, id: 'dinner' }], moreEnding: 3 });
    expect(describeSummary(week, nameOf).body).toMatch(/Your consent for Lunch Ltd and 4 others end soon\.$/u);
  });

  it('distinguishes opened files from records, and names only the largest source of records, or of files if there are no records', () => {
    const week = summary({
      readers: [
        reader('Grace', { records: 1, endpoints: ['files:photos'] }),
        reader('Acme', { endpoints: ['fitness/steps', 'files:photos', 'fitness/sleep'] }),
      ],
    });
    expect(describeSummary(week, nameOf).body).toBe(
      'Grace opened 1 file from photos. Acme read 120 records from Daily steps and other sources.',
    );
    const filesFirst = summary({ readers: [reader('Acme', { endpoints: ['files:photos', 'fitness/steps'] })] });
    expect(describeSummary(filesFirst, nameOf).body).toBe('Acme read 120 records from Daily steps and other sources.');
    expect(describeSummary(week, nameOf, 'de').body).toBe(
      'Grace: 1 Datei aus photos geöffnet. Acme: 120 Datensätze aus Daily steps und anderen Quellen gelesen.',
    );
  });

  it('names the invited person if an invitation expires soon', () => {
    const ending = [{ ...lunch, kind: 'invitation' as const, name: 'Grace' }];
    expect(describeSummary(summary({ ending }), nameOf).body).toBe(
      'Only you accessed your data. The invitation for Grace ends soon.',
    );
    expect(describeSummary(summary({ ending }), nameOf, 'de').body).toBe(
      'Nur du hast auf deine Daten zugegriffen. Die Einladung für Grace endet bald.',
    );
  });

  it('stays within the length limit and on one line even if names are long or contain line breaks', () => {
    const name = `Your\nbank\u202E ${'x'.repeat(300)}`;
    const week = summary({ readers: [reader(name), reader(name)], ending: [{ ...lunch, name }] });
    for (const language of ['en', 'de'] as const) {
      const description = describeSummary(week, nameOf, language);
      expect(desktopSummarySchema.parse(description)).toEqual(description);
      expect(description.body).not.toMatch(/[\n\u202E]/u);
    }
  });
});
