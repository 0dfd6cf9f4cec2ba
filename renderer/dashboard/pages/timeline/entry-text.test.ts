import { describe, expect, it } from 'vitest';
import type { FeedEntry, FeedItem, OwnerFile } from '../../../shared/api/contract.ts';
import { completeDownTo, groupItemsByDay, endOfDaySeconds } from './day-groups.ts';
import { partsOf, picturesOf, locationText, textOf, htmlToText } from './entry-text.ts';

const item = (change: Partial<FeedItem> = {}): FeedItem => ({
  source: 'diary',
  date: { iso: '2026-03-01T10:00:00Z', unix: 1_772_359_200 },
  types: ['note'],
  ...change,
});

describe('HTML content', () => {
  it.each([
    ['<p>Fish &amp; <b>chips</b></p>', 'Fish & chips'],
    ['one<br>two<br/>three', 'one\ntwo\nthree'],
    ['<p>a</p>\n\n<p>b</p>', 'a\nb'],
    ['<script>alert(1)</script>x', 'x'],
    ['<script>never closed', ''],
    ['<!-- hidden -->seen', 'seen'],
    ['<img src=x onerror="alert(1)">', ''],
    ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
    ['&lt;b&gt; &#65;&#x42; &unknown; &#0;', '<b> AB &unknown; &#0;'],
  ])('%s becomes the text %s', (html, text) => {
    expect(htmlToText(html)).toBe(text);
  });

  it('is used only if there is no plain text', () => {
    expect(textOf(item({ content: { text: 'said', html: '<p>other</p>' } }))).toBe('said');
    expect(textOf(item({ content: { html: '<p>other</p>' } }))).toBe('other');
    expect(textOf(item())).toBe('');
  });
});

describe('timeline entry', () => {
  it('shows its address, or else its coordinates', () => {
    expect(locationText(item({ location: { address: { name: 'Home', city: 'Leeds', country: '' } } }))).toBe(
      'Home, Leeds',
    );
    expect(locationText(item({ location: { geo: { latitude: 53.8, longitude: -1.55 } } }))).toBe('53.8000, -1.5500');
    expect(locationText(item({ location: {} }))).toBeUndefined();
  });

  it('lists each picture once, preferring thumbnails', () => {
    const media = [
      { thumbnail: 'https://a/s', url: 'https://a/l' },
      { url: 'https://a/s' },
      { thumbnail: '', url: '' },
    ];
    expect(picturesOf(item({ content: { media } }))).toEqual(['https://a/s']);
  });

  it('lists its parts', () => {
    const nestedStructure = { a: [{ content: 'Steps', badge: '4' }], b: [{ content: 'Sleep', badge: '' }] };
    expect(partsOf(item({ content: { nestedStructure } }))).toEqual([
      { text: 'Steps', badge: '4' },
      { text: 'Sleep', badge: undefined },
    ]);
  });
});

describe('days of the timeline', () => {
  const now = new Date(2026, 2, 10, 12);
  const entryOn = (...day: [year: number, month: number, day: number]): FeedEntry => {
    const moment = new Date(...day, 9);
    const date = { iso: moment.toISOString(), unix: moment.getTime() / 1000 };
    return { endpoint: 'a/b', recordId: '0190a1b2-0000-7000-8000-000000000001', item: item({ date }) };
  };

  it('are local days with relative labels', () => {
    const days = groupItemsByDay(
      [
        entryOn(2026, 2, 20),
        entryOn(2026, 2, 11),
        entryOn(2026, 2, 10),
        entryOn(2026, 2, 10),
        entryOn(2026, 2, 9),
        entryOn(2026, 1, 1),
        entryOn(2020, 0, 5),
      ],
      [],
      -Infinity,
      now,
    );
    expect(days.map(({ label, entries }) => [label, entries.length])).toEqual([
      ['Fri 20 March, upcoming', 1],
      ['Tomorrow', 1],
      ['Today', 2],
      ['Yesterday', 1],
      ['Sun 1 February', 1],
      ['5 January 2020', 1],
    ]);
  });

  const pictureOn = (name: string, ...day: [year: number, month: number, day: number]) => {
    const time = new Date(...day, 18).getTime();
    return { file: { name }, picture: { taken: { time, local: '' }, place: null, camera: null } } as OwnerFile;
  };

  it('contain the pictures that were taken on them', () => {
    const pictures = [pictureOn('a.jpg', 2026, 2, 12), pictureOn('b.jpg', 2026, 2, 9), pictureOn('c.jpg', 2026, 2, 9)];
    const days = groupItemsByDay([entryOn(2026, 2, 10), entryOn(2026, 2, 9)], pictures, -Infinity, now);
    expect(days.map((day) => [day.date, day.entries.length, day.pictures.map(({ file }) => file.name)])).toEqual([
      ['2026-03-12', 0, ['a.jpg']],
      ['2026-03-10', 1, []],
      ['2026-03-09', 1, ['b.jpg', 'c.jpg']],
    ]);
  });

  it('are shown only as far as both entries and pictures are loaded', () => {
    const until = new Date(2026, 2, 5, 12).getTime() / 1000;
    const loaded = [pictureOn('a.jpg', 2026, 2, 10), pictureOn('b.jpg', 2026, 2, 7)];
    const limits = completeDownTo({ until, skip: 0 }, { loaded, hasMore: true });
    expect(limits).toEqual({ entries: until * 1000, pictures: new Date(2026, 2, 7, 18).getTime() });
    const earliest = Math.max(limits.entries, limits.pictures);
    const days = groupItemsByDay([entryOn(2026, 2, 8), entryOn(2026, 2, 6)], loaded, earliest, now);
    expect(days.map(({ date }) => date)).toEqual(['2026-03-10', '2026-03-08', '2026-03-07']);
    expect(completeDownTo(null, { loaded, hasMore: false })).toEqual({ entries: -Infinity, pictures: -Infinity });
  });

  it('end one second before the next day', () => {
    expect(endOfDaySeconds('2026-03-10')).toBe(new Date(2026, 2, 11).getTime() / 1000 - 1);
    expect(endOfDaySeconds('not-a-date')).toBeUndefined();
  });
});
