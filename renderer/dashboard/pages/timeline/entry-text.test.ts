import { describe, expect, it } from 'vitest';
import type { FeedItem } from '../../../shared/api/contract.ts';
import { dayLabel } from './day-label.ts';
import { importText, partsOf, picturesOf, locationText, textOf, htmlToText } from './entry-text.ts';

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

describe('headings of days', () => {
  const now = new Date(2026, 2, 10, 12);
  it.each([
    ['2026-03-20', 'Fri 20 March, upcoming'],
    ['2026-03-11', 'Tomorrow'],
    ['2026-03-10', 'Today'],
    ['2026-03-09', 'Yesterday'],
    ['2026-02-01', 'Sun 1 February'],
    ['2020-01-05', '5 January 2020'],
    ['9999-12-31', '31 December 9999, upcoming'],
  ])('%s is %s', (date, label) => {
    expect(dayLabel(date, now)).toBe(label);
  });
});

it.each([
  ['done', 3, 1, '3\u00A0records added'],
  ['done', 0, 1, '1\u00A0record updated'],
  ['cancelled', 0, 0, '0\u00A0records added'],
  ['undone', 3, 0, 'undone'],
  ['failed', 3, 0, 'failed'],
] as const)('describes an import with the state %s, %i added and %i changed records', (state, added, changed, text) => {
  expect(importText({ state, added, changed })).toBe(text);
});
