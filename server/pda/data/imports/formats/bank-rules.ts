import type { BankOptions, BankRole } from '../../../../wire/imports.ts';

/** What the columns of a bank statement are, told by their headings; pure, and asked again when the owner says otherwise. */

export const BANK_SEPARATORS = [';', ',', '\t', '|'] as const;

/** What headings say, in the languages of the banks we have seen; the first that fits counts. */
const HEADINGS: readonly (readonly [BankRole, RegExp])[] = [
  ['valueDate', /^(?:valuta|wert(?:stellung)?|value ?date|date (?:de )?valeur|fecha valor|data valuta|rentedatum)/u],
  ['direction', /^(?:soll ?\/ ?haben|s ?\/ ?h|debit ?\/ ?credit|credit ?\/ ?debit|af ?bij|dr ?\/ ?cr)/u],
  [
    'date',
    /^(?:buchung(?:s|stag|sdatum|s-?tag|$)|datum|date|booking|posting|posted|transaction ?date|completed|started|fecha|data|boekdatum|transaktionsdatum)/u,
  ],
  ['balance', /(?:saldo|balance|solde|kontostand)/u],
  [
    'counterpartyAccount',
    /(?:kontonummer|iban|account ?(?:no|number)|gegenkonto|tegenrekening|counterparty account|payee account)/u,
  ],
  ['currency', /^(?:w(?:ä|ae)hrung|currency|devise|divisa|moneda|valuta ?code|munt)/u],
  ['debit', /^(?:soll|debit|belastung|ausgang|lastschrift|money out|paid out|withdrawal|d[ée]bit|addebit|cargo)/u],
  ['credit', /^(?:haben|credit|gutschrift|eingang|money in|paid in|deposit|cr[ée]dit|accredit|abono)/u],
  ['amount', /(?:betrag|umsatz|^amount|^value$|montant|importe|importo|bedrag|^sum)/u],
  [
    'counterparty',
    /(?:beg(?:ü|ue)nstigte|empf(?:ä|ae)nger|auftraggeber|zahlungs(?:beteiligt|pflicht)|payee|payer|counterparty|merchant|name|b[ée]n[ée]ficiaire|tegenpartij|partner)/u,
  ],
  ['type', /(?:buchungstext|umsatzart|umsatztyp|vorgang|transaction ?type|^type|mutatiesoort|^art$)/u],
  [
    'text',
    /(?:verwendungszweck|zweck|beschreibung|description|reference|memo|narrative|details|libell[ée]|concepto|descrizione|omschrijving|payment ref)/u,
  ],
];

export const roleOf = (heading: string): BankRole => {
  const plain = heading.trim().toLowerCase().replaceAll(/\s+/gu, ' ');
  if (plain === '') return 'skip';
  // "Buchungstext" begins like a date and is none.
  if (plain.startsWith('buchungstext')) return 'type';
  return HEADINGS.find(([, pattern]) => pattern.test(plain))?.[0] ?? 'other';
};

/** Each role but "other" and "skip" has one column: the first. */
export const rolesOf = (headings: readonly string[]): BankRole[] => {
  const taken = new Set<BankRole>();
  return headings.map((heading) => {
    const role = roleOf(heading);
    if (role === 'other' || role === 'skip') return role;
    if (taken.has(role)) return 'other';
    taken.add(role);
    return role;
  });
};

/** The cells of one row; undefined while a quote is open. */
export const cellsOf = (row: string, separator: string): string[] | undefined => {
  const cells: string[] = [];
  let cell = '';
  /** Where what is not yet in the cell begins. */
  let start = 0;
  let quoted = false;
  let isBlank = true;
  for (let at = 0; at < row.length; at += 1) {
    const char = row[at] ?? '';
    if (quoted) {
      if (char !== '"') {
        isBlank &&= char.trim() === '';
        continue;
      }
      cell += row.slice(start, at);
      start = at + 1;
      if (row[at + 1] === '"') {
        // The second quote belongs to the text.
        at += 1;
        isBlank = false;
      } else quoted = false;
    } else if (char === '"' && isBlank) {
      cell = '';
      start = at + 1;
      quoted = true;
    } else if (char === separator) {
      cells.push((cell + row.slice(start, at)).trim());
      cell = '';
      start = at + 1;
      isBlank = true;
    } else isBlank &&= char.trim() === '';
  }
  return quoted ? undefined : [...cells, (cell + row.slice(start)).trim()];
};

const isEnough = (roles: readonly BankRole[]): boolean =>
  roles.includes('date') && (roles.includes('amount') || (roles.includes('debit') && roles.includes('credit')));

/** How well a row looks like the headings of a statement; 0: it does not. */
const scoreOf = (cells: readonly string[]): number => {
  const roles = rolesOf(cells);
  if (!isEnough(roles) || cells.some((cell) => cell.length > 80)) return 0;
  const known = roles.filter((role) => role !== 'other' && role !== 'skip').length;
  return known >= 3 ? known : 0;
};

const DATE_CELL = /^(?<a>\d{1,4})[./-](?<b>\d{1,2})[./-](?<c>\d{1,4})/u;

/** Guesses from the first rows. @param lines decoded @returns undefined when it is no statement */
export const guessBank = (lines: readonly string[], encoding: BankOptions['encoding']): BankOptions | undefined => {
  let best: { score: number; line: number; separator: (typeof BANK_SEPARATORS)[number]; cells: string[] } | undefined;
  for (const [line, text] of lines.slice(0, 60).entries()) {
    for (const separator of BANK_SEPARATORS) {
      const cells = cellsOf(text, separator);
      const score = cells === undefined ? 0 : scoreOf(cells);
      if (cells !== undefined && score > (best?.score ?? 0)) best = { score, line, separator, cells };
    }
  }
  if (best === undefined) return undefined;
  const roles = rolesOf(best.cells);
  const { separator, line } = best;
  const rows = lines.slice(line + 1, line + 200).flatMap((text) => {
    const cells = cellsOf(text, separator);
    return cells === undefined ? [] : [cells];
  });
  const cellsIn = (wanted: readonly BankRole[]): string[] =>
    rows.flatMap((cells) => cells.filter((cell, at) => cell !== '' && wanted.includes(roles[at] ?? 'skip')));
  return {
    encoding,
    separator,
    headerLine: line + 1,
    roles,
    decimal: guessDecimal(cellsIn(['amount', 'debit', 'credit', 'balance'])),
    dateOrder: guessDateOrder(cellsIn(['date', 'valueDate'])),
  };
};

const guessDecimal = (cells: readonly string[]): ',' | '.' => {
  const ending = (mark: string): number =>
    cells.filter((cell) => new RegExp(`[${mark}]\\d{1,2}\\D*$`, 'u').test(cell)).length;
  return ending(',') > ending('.') ? ',' : '.';
};

const guessDateOrder = (cells: readonly string[]): BankOptions['dateOrder'] => {
  const found = cells.map((cell) => DATE_CELL.exec(cell)?.groups).filter((groups) => groups !== undefined);
  if (found.some((groups) => groups['a']?.length === 4)) return 'ymd';
  if (found.some((groups) => Number(groups['b']) > 12)) return 'mdy';
  if (found.some((groups) => Number(groups['a']) > 12)) return 'dmy';
  // With dots the day comes first wherever that is written; with slashes it may be either.
  return cells.some((cell) => cell.includes('/')) && !cells.some((cell) => cell.includes('.')) ? 'mdy' : 'dmy';
};

/** "2024-03-01"; undefined when the cell is no date in this order. */
export const dateOf = (cell: string, order: BankOptions['dateOrder']): string | undefined => {
  const found = DATE_CELL.exec(cell.trim())?.groups;
  const compact = /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/u.exec(cell.trim())?.groups;
  if (found === undefined && compact === undefined) return undefined;
  const { a = '', b = '', c = '' } = found ?? {};
  const [year, month, day] =
    compact !== undefined
      ? [compact['year'] ?? '', compact['month'] ?? '', compact['day'] ?? '']
      : a.length === 4
        ? [a, b, c]
        : order === 'mdy'
          ? [c, a, b]
          : order === 'ymd'
            ? [a, b, c]
            : [c, b, a];
  const full = year.length === 2 ? `20${year}` : year;
  const date = `${full}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const ms = Date.parse(`${date}T00:00:00Z`);
  // The 31st of February is none.
  return /^\d{4}-/u.test(date) && Number.isFinite(ms) && new Date(ms).toISOString().startsWith(date) ? date : undefined;
};

/** "1.234,56 €", "-1,234.56", "(12.00)", "12,00-", "1'234.50". */
export const amountOf = (cell: string, decimal: ',' | '.'): number | undefined => {
  const negative = /^\s*\(.*\)\s*$/u.test(cell) || /[-−–]/u.test(cell);
  const digits = cell.replaceAll(/[^\d.,]/gu, '');
  if (digits === '') return undefined;
  const plain = decimal === ',' ? digits.replaceAll('.', '').replace(',', '.') : digits.replaceAll(',', '');
  const number = Number(plain);
  if (!Number.isFinite(number) || plain === '') return undefined;
  return negative && number !== 0 ? -number : number;
};

/** What someone says by "S", "Soll", "D", "Debit", "Af": money that went. */
export const isOutgoing = (cell: string): boolean => /^(?:s|soll|d|dr|debit|af|-)$/iu.test(cell.trim());
