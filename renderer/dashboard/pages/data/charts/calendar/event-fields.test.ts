import { describe, expect, it } from 'vitest';
import type { Field } from '../../../../../../server/wire/fields.ts';
import { endField, startField } from './event-fields.ts';

const time = (path: string): Field => ({
  path,
  name: path,
  type: 'dateTime',
  unit: '',
  filled: 1,
  exceptions: 0,
  distinct: 5,
  corrected: false,
});

describe('event fields', () => {
  it.each([
    [['created', 'end', 'start'], 'start', 'end'],
    [['data.endTime', 'data.startTime'], 'data.startTime', 'data.endTime'],
    [['check_in', 'check_out'], 'check_in', 'check_out'],
    [['until', 'day'], 'day', 'until'],
    [['day'], 'day', undefined],
    [['end'], 'end', undefined],
    [['weekend', 'tomorrow'], 'weekend', undefined],
    [[], undefined, undefined],
  ])('for the times %j are %s and %s', (paths, start, end) => {
    const times = paths.map(time);
    const field = startField(times);
    expect([field?.path, endField(times, field)?.path]).toEqual([start, end]);
  });
});
