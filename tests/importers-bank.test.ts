import { describe, expect, it } from 'vitest';
import { guessBankOptionsOfLines, rolesOf } from '../server/pda/data/imports/formats/bank-rules.ts';
import { bankEncodingOf, bankLinesOf } from '../server/pda/data/imports/formats/bank.ts';
import type { BankOptions } from '../server/wire/imports.ts';
import * as samples from './samples/importers/samples.ts';
import { dataOf, parseInput } from './support/parse-export.ts';

describe('a bank statement', () => {
  const optionsOf = (content: Buffer): BankOptions => {
    const encoding = bankEncodingOf(content);
    const options = guessBankOptionsOfLines(bankLinesOf(content, encoding), encoding);
    if (options === undefined) throw new Error('the content was not detected as a bank statement');
    return options;
  };

  it("is detected after the bank's header lines, with separator, decimal comma, encoding and columns", async () => {
    const options = optionsOf(samples.STATEMENT);
    expect(options).toEqual({
      encoding: 'windows-1252',
      separator: ';',
      headerLine: 4,
      decimal: ',',
      dateOrder: 'dmy',
      roles: ['date', 'valueDate', 'type', 'counterparty', 'text', 'amount', 'other'],
    });
    const result = await parseInput(samples.STATEMENT, 'bank', 'umsatz.csv', options);
    expect(dataOf(result)).toMatchObject([
      {
        date: '2024-03-28',
        valueDate: '2024-03-29',
        amount: -1084.5,
        counterparty: 'Stadtwerke M\u00fcnchen',
        text: 'Abschlag; M\u00e4rz',
        account: 'DE02120300000000202051',
        other: { 'Gl\u00e4ubiger-ID': 'DE98ZZZ' },
      },
      { amount: -3.2, counterparty: 'Caf\u00e9' },
      { amount: -3.2, counterparty: 'Caf\u00e9' },
      { amount: 2500, text: 'Gehalt\nM\u00e4rz' },
    ]);
    expect(new Set(result.entries.map(({ identity }) => identity)).size, 'number of different identities').toBe(4);
    expect(result.problems).toEqual([['line 10', 'this line has no date in the expected format']]);
  });

  it('is detected with two amount columns and dates that begin with the month', async () => {
    const content = Buffer.from(samples.STATEMENT_ENGLISH);
    expect(dataOf(await parseInput(content, 'bank', 'statement.csv', optionsOf(content)))).toMatchObject([
      { date: '2024-03-25', amount: -3.2, text: 'Coffee, large', balance: 1096.8 },
      { date: '2024-03-26', amount: 1000 },
    ]);
  });

  it('is read to its end after an unclosed quote', async () => {
    const content = Buffer.from('Date;Amount;Description\n2024-03-25;1;"x\n2024-03-26;2;y\n2024-03-27;3;z\n');
    const result = await parseInput(content, 'bank', 'statement.csv', optionsOf(content));
    expect(dataOf(result)).toMatchObject([{ amount: 2 }, { amount: 3 }]);
    expect(result.problems).toEqual([['line 2', 'a quoted cell that begins on this line has no end or is too long']]);
  });

  it.each([
    [
      'Buchungsdatum;Wertstellung;Status;Zahlungsempf\u00e4nger*in;Verwendungszweck;Umsatztyp;IBAN;Betrag (\u20ac)',
      ['date', 'valueDate', 'other', 'counterparty', 'text', 'type', 'counterpartyAccount', 'amount'],
    ],
    [
      'IBAN Auftragskonto;Bankname Auftragskonto;Buchungstag;Name Zahlungsbeteiligter;IBAN Zahlungsbeteiligter;Buchungstext;Betrag',
      ['other', 'other', 'date', 'counterparty', 'counterpartyAccount', 'type', 'amount'],
    ],
  ])('is detected with the columns %s', (headings, roles) => {
    expect(rolesOf(headings.split(';'))).toEqual(roles);
  });

  it('keeps the cells of columns with the same heading or none', async () => {
    const content = Buffer.from('Date;Amount;Description;Note;Note;\n2024-03-25;1;x;first;second;third\n');
    const options = optionsOf(content);
    expect(options.roles).toEqual(['date', 'amount', 'text', 'other', 'other', 'skip']);
    const roles = options.roles.map((role) => (role === 'skip' ? 'other' : role));
    expect(dataOf(await parseInput(content, 'bank', 'statement.csv', { ...options, roles }))).toMatchObject([
      { other: { Note: 'first', Note_2: 'second', column_6: 'third' } },
    ]);
  });

  it('is read with the line endings of all systems', async () => {
    const text = `Girokonto DE02120300000000202051\n\n${samples.STATEMENT_ENGLISH}`;
    const content = Buffer.from(text);
    const expected = await parseInput(content, 'bank', 'statement.csv', optionsOf(content));
    expect(dataOf(expected)).toHaveLength(2);
    for (const lineEnding of ['\r\n', '\r']) {
      const variant = Buffer.from(text.replaceAll('\n', lineEnding));
      expect(
        await parseInput(variant, 'bank', 'statement.csv', optionsOf(variant)),
        JSON.stringify(lineEnding),
      ).toEqual(expected);
    }
  });

  it('keeps a written minus beside an unknown direction', async () => {
    const content = Buffer.from(
      'Date;Debit/Credit;Amount;Description\n2024-03-25;DBIT;1;x\n2024-03-26;CRDT;2;y\n2024-03-27;Fee;-3;z\n',
    );
    const result = await parseInput(content, 'bank', 'statement.csv', optionsOf(content));
    expect(dataOf(result)).toMatchObject([{ amount: -1 }, { amount: 2 }, { amount: -3 }]);
  });

  it('is decoded correctly if only its beginning is ASCII, whatever the chunks', async () => {
    const rows = Array.from({ length: 2000 }, (_, row) => `2024-03-25;${row};Coffee without an accent`);
    const beginning = `Date;Amount;Description\n${rows.join('\n')}\n`;
    const options = optionsOf(Buffer.from(beginning));
    expect(options.encoding).toBe('utf-8');
    for (const encoding of ['latin1', 'utf8'] as const) {
      const content = Buffer.from(`${beginning}2024-03-26;1;Caf\u00e9 \u00fc\n2024-03-27;2;\u00e0`, encoding);
      const result = await parseInput(content, 'bank', 'statement.csv', options);
      expect(dataOf(result).slice(-2)).toMatchObject([{ text: 'Caf\u00e9 \u00fc' }, { text: '\u00e0' }]);
      expect(result.problems).toEqual([]);
    }
  });

  it('is not detected in other files', () => {
    for (const text of ['day,steps,zip\n2026-01-01,8000,01067\n', 'name;age\na;1\n', ''])
      expect(guessBankOptionsOfLines(text.split('\n'), 'utf-8')).toBeUndefined();
  });
});
