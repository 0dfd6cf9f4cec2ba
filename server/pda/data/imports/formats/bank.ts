import { createHash } from 'node:crypto';
import type { BankOptions, BankRole } from '../../../../wire/imports.ts';
import { amountOf, cellsOf, currencyOfAmount, dateOf, signedAmount } from './bank-rules.ts';
import { createOccurrenceCounter } from './occurrence-counter.ts';
import { columnNamesOf } from '../tabular/csv-columns.ts';
import { nonEmptyObject, nonEmptyText, type EntrySink, type FormatReader } from '../parsing/entries.ts';
import { bytesOfCompleteLines, decodeLines, isUtf8Beginning } from '../parsing/text-lines.ts';

const MAX_CELL_LINES = 20;
/** Maximum characters of a row. A row with an open quote is parsed again for each further line. */
const MAX_ROW_CHARS = 200_000;
/** Bytes without a line ending that are decoded at the latest: a line that is longer than MAX_ROW_CHARS in any case. */
const MAX_PENDING_BYTES = 1_000_000;
const MAX_COUNTED_ROWS = 500_000;
const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/u;

export const bankEncodingOf = (head: Buffer): BankOptions['encoding'] => {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return isUtf8Beginning(head) ? 'utf-8' : 'windows-1252';
};

export const bankLinesOf = (head: Buffer, encoding: BankOptions['encoding']): string[] =>
  new TextDecoder(encoding).decode(head).split(/\r\n|\n|\r/u);

/**
 * Creates a decoder of chunks. The encoding is guessed from the beginning of a file, which may contain only ASCII: a
 * line that is not valid UTF-8 is decoded as Windows-1252.
 */
const createDecoder = (encoding: BankOptions['encoding']): ((chunk: Buffer, isLast: boolean) => string) => {
  if (encoding !== 'utf-8') {
    const decoder = new TextDecoder(encoding);
    return (chunk, isLast) => decoder.decode(chunk, { stream: !isLast });
  }
  let pendingBytes = Buffer.alloc(0);
  return (chunk, isLast) => {
    const bytes = Buffer.concat([pendingBytes, chunk]);
    const isComplete = isLast || bytes.length > MAX_PENDING_BYTES;
    const end = isComplete ? bytes.length : bytesOfCompleteLines(bytes);
    pendingBytes = bytes.subarray(end);
    return decodeLines(bytes.subarray(0, end));
  };
};

export const createBankReader = (sink: EntrySink, options: BankOptions): FormatReader => {
  const decode = createDecoder(options.encoding);
  const { roles, separator, headerLine, decimal, dateOrder } = options;
  const occurrences = createOccurrenceCounter(MAX_COUNTED_ROWS);
  let headings: readonly string[] = [];
  let account: string | undefined;
  let heldText = '';
  let bufferedText = '';
  let lineCount = 0;
  let openLines: string[] = [];
  let isSkipping = false;

  const addRow = (cells: readonly string[], lineNumber: number): void => {
    const filePosition = `line ${lineNumber}`;
    if (!sink.beginEntry(filePosition)) return;
    const cellOf = (role: BankRole): string | undefined => {
      const index = roles.indexOf(role);
      return index === -1 ? undefined : nonEmptyText(cells[index]);
    };
    const date = dateOf(cellOf('date') ?? '', dateOrder);
    if (date === undefined) return sink.addProblem(filePosition, 'this line has no date in the expected format');
    const [writtenAmount, debit, credit] = (['amount', 'debit', 'credit'] as const).map((role) =>
      amountOf(cellOf(role) ?? '', decimal),
    );
    const debitAmount = debit === undefined || debit === 0 ? undefined : -Math.abs(debit);
    const amount =
      writtenAmount === undefined ? (debitAmount ?? credit ?? debit) : signedAmount(writtenAmount, cellOf('direction'));
    if (amount === undefined) return sink.addProblem(filePosition, 'this line has no amount');
    const otherCells = new Map<string, string>();
    for (const [index, role] of roles.entries()) {
      const value = role === 'other' ? nonEmptyText(cells[index]) : undefined;
      const heading = headings[index];
      if (value !== undefined && heading !== undefined) otherCells.set(heading, value);
    }
    const data = {
      date,
      valueDate: dateOf(cellOf('valueDate') ?? '', dateOrder),
      amount,
      currency: cellOf('currency') ?? currencyOfAmount(cellOf('amount') ?? ''),
      counterparty: cellOf('counterparty'),
      counterpartyAccount: cellOf('counterpartyAccount'),
      text: cellOf('text'),
      type: cellOf('type'),
      balance: amountOf(cellOf('balance') ?? '', decimal),
      account,
      other: nonEmptyObject(otherCells),
    };
    const identity = [account, date, amount, data.currency, data.counterparty, data.text, data.type].join('\n');
    // The counter distinguishes equal lines of one day, such as two coffees.
    const hash = createHash('sha256').update(identity).digest('base64').slice(0, 16);
    const occurrence = occurrences.count(date, hash);
    sink.addEntry(
      { kind: 'bank/transactions', at: Date.parse(date), identity: `${identity}\n${occurrence}`, data },
      filePosition,
    );
  };

  const parseLine = (text: string, lineNumber: number): void => {
    if (lineNumber < headerLine) {
      account ??= IBAN.exec(text)?.[0]?.replaceAll(' ', '');
      return;
    }
    const rowText = openLines.length === 0 ? text : [...openLines, text].join('\n');
    const cells = cellsOf(rowText, separator);
    if (cells === undefined) {
      openLines.push(text);
      if (openLines.length > MAX_CELL_LINES || rowText.length > MAX_ROW_CHARS) abandonQuote(lineNumber);
      return;
    }
    const firstLine = lineNumber - openLines.length;
    openLines = [];
    if (firstLine <= headerLine) headings = columnNamesOf(cells);
    else if (cells.some((cell) => cell !== '')) addRow(cells, firstLine);
  };

  /**
   * Reports a quoted cell that has no end or is too long, and parses the lines after its first line separately.
   * @param lineNumber number of the last open line
   */
  const abandonQuote = (lineNumber: number): void => {
    const laterLines = openLines.slice(1);
    openLines = [];
    sink.addProblem(
      `line ${lineNumber - laterLines.length}`,
      'a quoted cell that begins on this line has no end or is too long',
    );
    for (const [index, text] of laterLines.entries()) parseLine(text, lineNumber - laterLines.length + 1 + index);
  };

  const skipLongLine = (lineNumber: number): void => {
    while (openLines.length > 0) abandonQuote(lineNumber - 1);
    sink.addProblem(`line ${lineNumber}`, 'this line is too long');
  };

  /** Returns text in which all lines end with a line feed. Holds back a "\r" that may be the first half of "\r\n". */
  const normaliseLineEndings = (text: string, isLast: boolean): string => {
    const pendingText = heldText + text;
    heldText = pendingText.endsWith('\r') && !isLast ? '\r' : '';
    return pendingText.slice(0, pendingText.length - heldText.length).replaceAll(/\r\n?/gu, '\n');
  };

  const parseText = (text: string, isLast: boolean): void => {
    bufferedText += normaliseLineEndings(text, isLast);
    let start = 0;
    for (let end = bufferedText.indexOf('\n'); end !== -1; end = bufferedText.indexOf('\n', start)) {
      const nextLine = bufferedText.slice(start, end);
      lineCount += 1;
      start = end + 1;
      if (isSkipping) isSkipping = false;
      else if (nextLine.length > MAX_ROW_CHARS) skipLongLine(lineCount);
      else parseLine(nextLine, lineCount);
    }
    bufferedText = bufferedText.slice(start);
    if (bufferedText.length > MAX_ROW_CHARS) {
      if (!isSkipping) skipLongLine(lineCount + 1);
      isSkipping = true;
      bufferedText = '';
    }
    if (!isLast) return;
    if (bufferedText !== '' && !isSkipping) {
      lineCount += 1;
      parseLine(bufferedText, lineCount);
    }
    while (openLines.length > 0) abandonQuote(lineCount);
  };

  return {
    push: (chunk) => parseText(decode(chunk, false), false),
    end: () => parseText(decode(Buffer.alloc(0), true), true),
  };
};
