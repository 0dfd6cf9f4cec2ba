import { describe, expect, it } from 'vitest';
import { guessColumnType, jsonOfText } from './column-types.ts';

describe('the type of a column', () => {
  it.each([
    [['1', '-2', '0', ''], 'integer'],
    [['1', '2.5'], 'number'],
    [['1e400'], 'text'],
    [['true', 'False'], 'boolean'],
    [['true', '1'], 'text'],
    [['1', 'n/a'], 'text'],
    [['007'], 'text'],
    [['+31', '1'], 'text'],
    [['1.'], 'text'],
    [['.5', '-.25', '0'], 'number'],
    [['1,234.5', '2'], 'number'],
    [['1,234,567', '1'], 'number'],
    [['1,5', '0'], 'decimal-comma'],
    [['1.234,5', '2'], 'decimal-comma'],
    [['1 234,50', '0,500'], 'decimal-comma'],
    [['1,234', '5'], 'text'],
    [['110 001'], 'text'],
    [['12,34,56'], 'text'],
    [['2026-01-31', '2026-01-31T10:00:00Z'], 'iso'],
    [['2026/1/31', '2026/02/01 10:00'], 'year-month-day'],
    [['Jan 31 2026', '1 February 2026'], 'month-name'],
    [['1/31/2026', '2/1/2026'], 'month-day'],
    [['31/1/2026', '1/2/2026'], 'day-month'],
    [['1.2.2026'], 'day-month'],
    [['1/2/2026'], 'text'],
    [['31/31/2026'], 'text'],
    [['20260131'], 'integer'],
    [['2026-01-31', 'unknown'], 'text'],
    [['1234567890123456'], 'text'],
    [['', ' '], 'empty'],
  ])('is inferred from %j: %s', (cells, type) => {
    expect(guessColumnType(cells)).toBe(type);
  });
});

describe('a cell', () => {
  it.each([
    ['1.50', 'number', '1.50'],
    ['.50', 'number', '0.50'],
    ['-.5', 'number', '-0.5'],
    ['1,234,567.80', 'number', '1234567.80'],
    ['1.234,50', 'decimal-comma', '1234.50'],
    ["1'234,5", 'decimal-comma', '1234.5'],
    [',5', 'decimal-comma', '0.5'],
    ['12', 'decimal-comma', '12'],
    ['n/a', 'decimal-comma', '"n/a"'],
    ['TRUE', 'boolean', 'true'],
    ['yes', 'boolean', '"yes"'],
    ['Jan 5 2026', 'month-name', '"2026-01-05"'],
    ['5.1.2026 8:30', 'day-month', '"2026-01-05T08:30:00"'],
    ['1/5/2026', 'month-day', '"2026-01-05"'],
    ['2026/01/05 08:30:15', 'year-month-day', '"2026-01-05T08:30:15"'],
    ['2026-01-05 08:30', 'iso', '"2026-01-05 08:30"'],
    [' 2026-01-05T08:30Z ', 'iso', '"2026-01-05T08:30Z"'],
    [' soon ', 'iso', '" soon "'],
    ['soon', 'month-day', '"soon"'],
  ] as const)('%s in a column of type %s is stored as %s', (cell, type, json) => {
    expect(jsonOfText(cell, type, false)).toBe(json);
  });

  it('is converted from more notations if the owner chose the type', () => {
    expect(['+5', '007', '5.', '1,234', 'x'].map((cell) => jsonOfText(cell, 'number', true))).toEqual([
      '5',
      '7',
      '5',
      '1234',
      '"x"',
    ]);
    expect(['yes', 'N', '1', 'maybe'].map((cell) => jsonOfText(cell, 'boolean', true))).toEqual([
      'true',
      'false',
      'true',
      '"maybe"',
    ]);
  });
});
