import { expect, it } from 'vitest';
import { amountOf, currencyOfAmount, guessBankOptionsOfLines, signedAmount } from './bank-rules.ts';

it.each([
  ['Rs.500', '.', 500],
  ['Rs. 1,234.50', '.', 1234.5],
  ['-12.50 Fr.', '.', -12.5],
  ['kr. 1.234,56', ',', 1234.56],
  ['रु.500', '.', 500],
  ['S/. 5.50', '.', 5.5],
  ['.50', '.', 0.5],
  ['USD.50', '.', 0.5],
] as const)('reads the decimals of %s, not the point of a currency', (cell, decimal, amount) => {
  expect(amountOf(cell, decimal)).toBe(amount);
});

it.each([
  ['5.–', '.', 5],
  ['5,-', ',', 5],
  ['5,−', ',', 5],
  ['5,-- €', ',', 5],
  ['CHF 1’234.—', '.', 1234],
  ['-5,-', ',', -5],
  ['(5.–)', '.', -5],
  ['12,00-', ',', -12],
  ['5 -', '.', -5],
  ['5,–-', ',', -5],
  ['—5', '.', -5],
  ['‑5,00', ',', -5],
] as const)('distinguishes a sign from dashes in place of decimals in %s', (cell, decimal, amount) => {
  expect(amountOf(cell, decimal)).toBe(amount);
});

it.each([
  ['12.00 Dr', '.', -12],
  ['12.00 (DR)', '.', -12],
  ['12,00 S', ',', -12],
  ['-12.00 Dr.', '.', -12],
  ['12.00 Cr', '.', 12],
  ['12,00 H', ',', 12],
  ['12.00 USD', '.', 12],
] as const)('reads the sign of %s', (cell, decimal, amount) => {
  expect(amountOf(cell, decimal)).toBe(amount);
});

it.each([
  ['1,234', '.', 1234],
  ['1,23,456.50', '.', 123_456.5],
  ['1.234.567,5', ',', 1_234_567.5],
  ['12,50', '.', undefined],
  ['1.234,50', '.', undefined],
  ['12.5', ',', undefined],
  ['1.2.3', '.', undefined],
  ['n/a', '.', undefined],
  ['.', '.', undefined],
] as const)('reads %s with the decimal mark %s only if its groups are possible', (cell, decimal, amount) => {
  expect(amountOf(cell, decimal)).toBe(amount);
});

it.each([
  ['12,50 €', 'EUR'],
  ['-£12.50', 'GBP'],
  ['$12.50', 'USD'],
  ['R$ 1.234,50', 'BRL'],
  ['-A$12.50', 'AUD'],
  ['CAD $12.50', 'CAD'],
  ['J$12.50', undefined],
  ['12.50', undefined],
])('reads the currency of %s', (cell, currency) => {
  expect(currencyOfAmount(cell)).toBe(currency);
});

it('does not read an amount from a long text', () => {
  expect(amountOf(`${'1'.repeat(200_000)}a1b`, '.')).toBeUndefined();
});

it.each([
  [['1.234,-', '500,-'], ','],
  [['1’234.–', '500.–'], '.'],
  [['kr.50', 'kr.1.234,56', 'kr.75'], ','],
  [['$500', '-$1.234', '$12.500'], ','],
  [['Rp 1.234', 'Rp 1.234.567'], ','],
  [['1.234', '12.500', '0.000'], '.'],
  [['1.234', '12.500'], '.'],
  [['500', '1,234'], '.'],
  [['1.234', '500', '12.50'], '.'],
] as const)('guesses the decimal mark of %j', (amounts, decimal) => {
  const lines = ['Date;Amount;Description', ...amounts.map((amount) => `2024-03-01;${amount};Groceries`)];
  expect(guessBankOptionsOfLines(lines, 'utf-8')).toMatchObject({ decimal });
});

it.each([
  ['03/04/2024', '1.234,50', 'dmy'],
  ['03/04/2024', '1,234.50', 'mdy'],
  ['03/14/2024', '1.234,50', 'mdy'],
  ['03.04.2024', '1,234.50', 'dmy'],
] as const)('guesses the order of the date %s from amounts such as %s', (date, amount, dateOrder) => {
  const lines = ['Date;Amount;Description', `${date};${amount};Groceries`];
  expect(guessBankOptionsOfLines(lines, 'utf-8')).toMatchObject({ dateOrder });
});

it.each([
  [12, 'S', -12],
  [12, 'DBIT', -12],
  [-12, 'Debet', -12],
  [12, 'Débit', -12],
  [12, 'H', 12],
  [-12, 'CRDT', 12],
  [-12, 'Transfer', -12],
  [12, 'Transfer', 12],
  [-12, undefined, -12],
])('gives %s with the direction %s its sign', (amount, direction, expected) => {
  expect(signedAmount(amount, direction)).toBe(expected);
});
