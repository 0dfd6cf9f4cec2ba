import { describe, expect, it } from 'vitest';
import { detailsOf, localTimeToInstant, NO_DETAILS } from './rules.ts';

const LOCAL = '2024-03-01T12:34:56';

describe('the details of a picture', () => {
  it('contain the instant if the camera wrote a UTC offset', () => {
    const { taken, taken_local: local } = detailsOf({ time: '2024:03:01 12:34:56', offset: '-05:30' }, () => 0);
    expect([new Date(taken ?? 0).toISOString(), local]).toEqual(['2024-03-01T18:04:56.000Z', LOCAL]);
  });

  it.each([undefined, '', '+15:00', 'CET', 1])('use the time zone of the computer if the offset is %j', (offset) => {
    const toInstant = (localMs: number): number => localMs - 3_600_000;
    const { taken } = detailsOf({ time: '2024:03:01 12:34:56', offset }, toInstant);
    expect(new Date(taken ?? 0).toISOString()).toBe('2024-03-01T11:34:56.000Z');
  });

  it('interpret a local time in the time zone of the computer', () => {
    expect(localTimeToInstant(Date.UTC(2024, 2, 1, 12, 34, 56))).toBe(new Date(2024, 2, 1, 12, 34, 56).getTime());
  });

  it.each(['2024-03-01 12:34:56', '2024:03:01T12:34:56', '2024:03:01 12:34:56.78', '2024:03:01 12:34:56+01:00'])(
    'contain the local time if the camera wrote the time %s',
    (time) => {
      expect(detailsOf({ time }).taken_local).toBe(LOCAL);
    },
  );

  it.each([
    '0000:00:00 00:00:00',
    '    :  :     :  :  ',
    '2024:02:30 12:00:00',
    '2024:03:01 24:00:00',
    '0024:03:01 12:00:00',
    7,
    null,
  ])('have no date if the time is %j', (time) => {
    expect(detailsOf({ time })).toEqual(NO_DETAILS);
  });

  it('contain a place in degrees', () => {
    expect(detailsOf({ latitude: -33.856784123, longitude: 151.2152967 })).toMatchObject({
      latitude: -33.856784,
      longitude: 151.215297,
    });
  });

  it.each([
    [0, 0],
    [90.1, 0],
    [0, -180.1],
    [Number.NaN, 5],
    [52, undefined],
    ['52', '13'],
  ])('have no place if latitude and longitude are %j and %j', (latitude, longitude) => {
    expect(detailsOf({ latitude, longitude })).toEqual(NO_DETAILS);
  });

  it.each([
    ['Canon', 'Canon EOS R5', 'Canon EOS R5'],
    ['Apple', 'iPhone 15', 'Apple iPhone 15'],
    ['  NIKON\0 ', undefined, 'NIKON'],
    [undefined, 'X-T5\u202E', 'X-T5'],
    ['', ' ', null],
    [1, {}, null],
    ['M'.repeat(500), 'x', 'M'.repeat(100)],
  ])('name the camera of maker %j and model %j', (maker, model, camera) => {
    expect(detailsOf({ maker, model }).camera).toBe(camera);
  });
});
