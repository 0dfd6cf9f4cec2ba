import { describe, expect, it } from 'vitest';
import { plainBundle } from '../../shared/consent/bundle-text.ts';
import { sourcePathOf } from './source-path.ts';

const properties = plainBundle({
  days: {
    endpoints: [
      { endpoint: 'fit/daily', mapping: { steps: 'data.heart_rate', place: 'data.where' } },
      { endpoint: 'fit/sleep' },
    ],
  },
  twice: {
    endpoints: [
      { endpoint: 'fit/daily', mapping: { a: 'data.steps', b: 'data.day' } },
      { endpoint: 'fit/daily', mapping: { a: 'data.pulse', b: 'data.day' } },
    ],
  },
});

describe('sourcePathOf', () => {
  it.each([
    ['days', 'fit/daily', 'steps', 'heart_rate'],
    ['days', 'fit/daily', 'place.lat', 'where.lat'],
    ['days', 'fit/daily', 'heart_rate', undefined],
    ['days', 'fit/sleep', 'notes', 'notes'],
    ['days', 'fit/other', 'notes', undefined],
    ['twice', 'fit/daily', 'a', undefined],
    ['twice', 'fit/daily', 'b', 'day'],
    ['none', 'fit/daily', 'b', undefined],
  ])('in the property %s, for a record of %s, maps %s to %s', (property, endpoint, path, source) => {
    expect(sourcePathOf(properties, property, endpoint, path)).toBe(source);
  });
});
