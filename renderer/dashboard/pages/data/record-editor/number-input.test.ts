import { describe, expect, it } from 'vitest';
import { numberInputText, parseNumberInput } from './number-input.ts';

describe('parseNumberInput', () => {
  it.each([
    ['12', '12', '12'],
    ['1.50', '1.50', undefined],
    ['1,50', undefined, '1.50'],
    ['1,234.5', '1234.5', undefined],
    ['1.234,5', undefined, '1234.5'],
    ['1,234', '1234', '1.234'],
    ['1.234', '1.234', '1234'],
    ['1234,567', undefined, '1234.567'],
    ['1\u202F234 567', '1234567', '1234567'],
    ['12345678901234567890', '12345678901234567890', '12345678901234567890'],
    ['\u22125', '-5', '-5'],
    ['+007', '7', '7'],
    ['-0', '-0', '-0'],
    ['1e-7', '1e-7', '1e-7'],
    ['1e400', undefined, undefined],
    ['', undefined, undefined],
    ['-', undefined, undefined],
    ['.', undefined, undefined],
    ['1 x', undefined, undefined],
    ['0x10', undefined, undefined],
    ['Infinity', undefined, undefined],
  ])('reads %j as %j in English and as %j in German', (text, english, german) => {
    expect([parseNumberInput(text, 'en'), parseNumberInput(text, 'de')]).toEqual([english, german]);
  });

  it('accepts fractions without a whole part, and whole parts without a fraction', () => {
    expect([parseNumberInput('.5', 'en'), parseNumberInput('-,5', 'de'), parseNumberInput('5.', 'en')]).toEqual([
      '0.5',
      '-0.5',
      '5',
    ]);
  });
});

it('numberInputText keeps every digit, and parseNumberInput restores the number', () => {
  expect(numberInputText('1.0', 'de')).toBe('1,0');
  for (const json of ['1.0', '-0.10', '1234567.125', '12345678901234567890.5', '1.5e+300', '0'])
    for (const language of ['en', 'de'] as const)
      expect(parseNumberInput(numberInputText(json, language), language)).toBe(json);
});
