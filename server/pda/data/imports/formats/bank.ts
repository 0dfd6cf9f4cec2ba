import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { BankOptions, BankRole } from '../../../../wire/imports.ts';
import { amountOf, cellsOf, dateOf, isOutgoing } from './bank-rules.ts';
import { orNothing, type EntrySink, type ParsedJson, type Reader } from '../parsing/entries.ts';

/** Statements of banks as CSV: each bank its own columns, so that these are guessed and told by the owner (bank-rules.ts). */

/** Lines that one cell in quotes may go over. */
const MAX_CELL_LINES = 20;
/** Characters of a transaction: one whose quote is open is read again with each line. */
const MAX_ROW = 200_000;
/** Equal transactions are distinguished by a counter. Beyond this number, all transactions of a statement count as new. */
const MAX_KNOWN = 500_000;
const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/u;

export const bankEncodingOf = (head: Buffer): BankOptions['encoding'] => {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  // The sample may end within a character.
  const whole = [0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, Math.max(0, head.length - cut))));
  return whole ? 'utf-8' : 'windows-1252';
};

export const bankLinesOf = (head: Buffer, encoding: BankOptions['encoding']): string[] =>
  new TextDecoder(encoding).decode(head).split(/\r\n|\n|\r/u);

export const createBankReader = (found: EntrySink, options: BankOptions): Reader => {
  const decoder = new TextDecoder(options.encoding);
  const { roles, separator, headerLine, decimal, dateOrder } = options;
  const known = new Map<string, number>();
  let headings: readonly string[] = [];
  let account: string | undefined;
  let held = '';
  let line = 0;
  let open: string[] = [];
  /** The rest of a line that was given up is passed over. */
  let isPassingOver = false;

  const read = (cells: readonly string[], at: number): void => {
    const where = `line ${at}`;
    const cell = (role: BankRole): string | undefined => {
      const index = roles.indexOf(role);
      return index === -1 ? undefined : orNothing(cells[index]);
    };
    const date = dateOf(cell('date') ?? '', dateOrder);
    if (date === undefined) return found.trouble(where, 'this line has no date');
    const [plain, debit, credit] = (['amount', 'debit', 'credit'] as const).map((role) =>
      amountOf(cell(role) ?? '', decimal),
    );
    const gone = debit === undefined || debit === 0 ? undefined : -Math.abs(debit);
    const sign = isOutgoing(cell('direction') ?? '') ? -1 : 1;
    const amount =
      plain === undefined
        ? (gone ?? credit ?? debit)
        : cell('direction') === undefined
          ? plain
          : sign * Math.abs(plain);
    if (amount === undefined) return found.trouble(where, 'this line has no amount');
    const symbol = /[€$£¥]/u.exec(cell('amount') ?? '')?.[0];
    const other: [string, ParsedJson][] = roles.flatMap((role, index) => {
      const value = role === 'other' ? orNothing(cells[index]) : undefined;
      const heading = headings[index]?.trim() ?? '';
      return value === undefined || heading === '' || heading === '__proto__'
        ? []
        : [[heading, value] as [string, ParsedJson]];
    });
    const data = {
      date,
      valueDate: dateOf(cell('valueDate') ?? '', dateOrder),
      amount,
      currency:
        cell('currency') ??
        (symbol === undefined ? undefined : { '€': 'EUR', $: 'USD', '£': 'GBP', '¥': 'JPY' }[symbol]),
      counterparty: cell('counterparty'),
      counterpartyAccount: cell('counterpartyAccount'),
      text: cell('text'),
      type: cell('type'),
      balance: amountOf(cell('balance') ?? '', decimal),
      account,
      other: other.length === 0 ? undefined : Object.fromEntries(other),
    };
    const said = [account, date, amount, data.currency, data.counterparty, data.text, data.type].join('\n');
    // Equal lines of one day, such as two coffees, are distinguished by a counter.
    const print = createHash('sha256').update(said).digest('base64').slice(0, 16);
    const nth = (known.get(print) ?? 0) + 1;
    if (known.size < MAX_KNOWN || nth > 1) known.set(print, nth);
    found.entry({ kind: 'bank/transactions', at: Date.parse(date), identity: `${said}\n${nth}`, data }, where);
  };

  const row = (text: string, at: number): void => {
    if (at < headerLine) {
      account ??= IBAN.exec(text)?.[0]?.replaceAll(' ', '');
      return;
    }
    const whole = open.length === 0 ? text : [...open, text].join('\n');
    const cells = cellsOf(whole, separator);
    if (cells === undefined) {
      open.push(text);
      if (open.length > MAX_CELL_LINES || whole.length > MAX_ROW) abandonQuote(at);
      return;
    }
    const begun = at - open.length;
    open = [];
    if (begun <= headerLine) headings = cells;
    else if (cells.some((cell) => cell !== '')) read(cells, begun);
  };

  /** Names the line whose quote is open, and reads those after it by themselves. @param at the last of them */
  const abandonQuote = (at: number): void => {
    const rest = open.slice(1);
    open = [];
    found.trouble(`line ${at - rest.length}`, 'a quote that is opened in this line is never closed');
    for (const [index, one] of rest.entries()) row(one, at - rest.length + 1 + index);
  };

  const giveUp = (at: number): void => {
    while (open.length > 0) abandonQuote(at - 1);
    found.trouble(`line ${at}`, 'this line is too long');
  };

  const take = (text: string, last: boolean): void => {
    held += text;
    let start = 0;
    for (let end = held.indexOf('\n'); end !== -1; end = held.indexOf('\n', start)) {
      const text = held.slice(start, end).replace(/\r$/u, '');
      line += 1;
      start = end + 1;
      if (isPassingOver) isPassingOver = false;
      else if (text.length > MAX_ROW) giveUp(line);
      else row(text, line);
    }
    held = held.slice(start);
    if (held.length > MAX_ROW) {
      if (!isPassingOver) giveUp(line + 1);
      isPassingOver = true;
      held = '';
    }
    if (!last) return;
    if (held !== '' && !isPassingOver) {
      line += 1;
      row(held, line);
    }
    while (open.length > 0) abandonQuote(line);
  };

  return {
    push: (piece) => take(decoder.decode(piece, { stream: true }), false),
    end: () => take(decoder.decode(), true),
  };
};
