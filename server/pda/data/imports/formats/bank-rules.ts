import type { BankOptions, BankRole } from '../../../../wire/imports.ts';

export const BANK_SEPARATORS = [';', ',', '\t', '|'] as const;

/** A row with a longer cell is not a header. */
const MAX_HEADING_CHARS = 80;
const MIN_RECOGNISED_HEADINGS = 3;
/** Number of lines at the start of the file that are searched for the header. */
const HEADER_SEARCH_LINES = 60;
/** Number of lines from which the formats of amounts and dates are guessed, including the header. */
const SAMPLE_LINES = 200;

/** Patterns of headings in the languages of known banks. The first match wins. */
const HEADINGS: readonly (readonly [BankRole, RegExp])[] = [
  // The owner's own account, for example "IBAN Auftragskonto".
  ['other', /auftragskonto/u],
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
  ['type', /(?:buchungstext|umsatzart|umsatztyp|vorgang|transaction ?type|^type|mutatiesoort|^art$)/u],
  ['amount', /(?:betrag|umsatz|^amount|^value$|montant|importe|importo|bedrag|^sum)/u],
  [
    'counterparty',
    /(?:beg(?:ü|ue)nstigte|empf(?:ä|ae)nger|auftraggeber|zahlungs(?:beteiligt|pflicht)|payee|payer|counterparty|merchant|name|b[ée]n[ée]ficiaire|tegenpartij|partner)/u,
  ],
  [
    'text',
    /(?:verwendungszweck|zweck|beschreibung|description|reference|memo|narrative|details|libell[ée]|concepto|descrizione|omschrijving|payment ref)/u,
  ],
];

export const roleOf = (heading: string): BankRole => {
  const normalizedHeading = heading.trim().toLowerCase().replaceAll(/\s+/gu, ' ');
  if (normalizedHeading === '') return 'skip';
  // "Buchungstext" matches the pattern of a date but is the type of the transaction.
  if (normalizedHeading.startsWith('buchungstext')) return 'type';
  return HEADINGS.find(([, pattern]) => pattern.test(normalizedHeading))?.[0] ?? 'other';
};

/** Returns the roles of columns. Each role except "other" and "skip" goes to the first column that matches it. */
export const rolesOf = (headings: readonly string[]): BankRole[] => {
  const assigned = new Set<BankRole>();
  return headings.map((heading) => {
    const role = roleOf(heading);
    if (role === 'other' || role === 'skip') return role;
    if (assigned.has(role)) return 'other';
    assigned.add(role);
    return role;
  });
};

/** Returns the trimmed cells of a row; undefined if a quote is still open at its end. */
export const cellsOf = (row: string, separator: string): string[] | undefined => {
  const cells: string[] = [];
  let cell = '';
  let start = 0;
  let isQuoted = false;
  let isBlank = true;
  for (let index = 0; index < row.length; index += 1) {
    const char = row[index] ?? '';
    if (isQuoted) {
      if (char !== '"') {
        isBlank &&= char.trim() === '';
        continue;
      }
      cell += row.slice(start, index);
      start = index + 1;
      if (row[index + 1] === '"') {
        // A doubled quote stands for one quote.
        index += 1;
        isBlank = false;
      } else isQuoted = false;
    } else if (char === '"' && isBlank) {
      cell = '';
      start = index + 1;
      isQuoted = true;
    } else if (char === separator) {
      cells.push((cell + row.slice(start, index)).trim());
      cell = '';
      start = index + 1;
      isBlank = true;
    } else isBlank &&= char.trim() === '';
  }
  return isQuoted ? undefined : [...cells, (cell + row.slice(start)).trim()];
};

const hasRequiredRoles = (roles: readonly BankRole[]): boolean =>
  roles.includes('date') && (roles.includes('amount') || (roles.includes('debit') && roles.includes('credit')));

/** Returns the number of recognised headings; 0 if the row is not a header. */
const scoreOf = (cells: readonly string[]): number => {
  const roles = rolesOf(cells);
  if (!hasRequiredRoles(roles) || cells.some((cell) => cell.length > MAX_HEADING_CHARS)) return 0;
  const recognisedCount = roles.filter((role) => role !== 'other' && role !== 'skip').length;
  return recognisedCount >= MIN_RECOGNISED_HEADINGS ? recognisedCount : 0;
};

const DATE_CELL = /^(?<first>\d{1,4})[./-](?<second>\d{1,2})[./-](?<third>\d{1,4})/u;

/** Guesses options from the first lines of a file. Returns undefined if no line is the header of a bank statement. */
export const guessBankOptionsOfLines = (
  lines: readonly string[],
  encoding: BankOptions['encoding'],
): BankOptions | undefined => {
  let bestHeader:
    | { score: number; line: number; separator: (typeof BANK_SEPARATORS)[number]; cells: string[] }
    | undefined;
  for (const [line, text] of lines.slice(0, HEADER_SEARCH_LINES).entries()) {
    for (const separator of BANK_SEPARATORS) {
      const cells = cellsOf(text, separator);
      const score = cells === undefined ? 0 : scoreOf(cells);
      if (cells !== undefined && score > (bestHeader?.score ?? 0)) bestHeader = { score, line, separator, cells };
    }
  }
  if (bestHeader === undefined) return undefined;
  const roles = rolesOf(bestHeader.cells);
  const { separator, line } = bestHeader;
  const rows = lines.slice(line + 1, line + SAMPLE_LINES).flatMap((text) => {
    const cells = cellsOf(text, separator);
    return cells === undefined ? [] : [cells];
  });
  const cellsIn = (selectedRoles: readonly BankRole[]): string[] =>
    rows.flatMap((cells) =>
      cells.filter((cell, index) => cell !== '' && selectedRoles.includes(roles[index] ?? 'skip')),
    );
  const decimal = guessDecimal(cellsIn(['amount', 'debit', 'credit', 'balance']));
  const dateOrder = guessDateOrder(cellsIn(['date', 'valueDate']), decimal);
  return { encoding, separator, headerLine: line + 1, roles, decimal, dateOrder };
};

/** Point of an abbreviated currency, such as "Rs.", "Fr." and "S/.". Codes such as "USD" are not abbreviated. */
const CURRENCY_POINT = /(?<=[\p{L}\p{M}]\/?)(?<!(?<!\p{L})\p{Lu}{3})\./gu;
/** Dashes in place of decimals, such as "5.–", "5,--" and "5,-". They are not a sign. */
const DASHED_DECIMALS = /(?<=\d[.,])(?:[–—]|[-−]{1,2})(?!\d)/u;

const guessDecimal = (cells: readonly string[]): ',' | '.' => {
  const amounts = cells.map((cell) => cell.replaceAll(CURRENCY_POINT, '').replace(DASHED_DECIMALS, '00'));
  const countEndings = (mark: string): number =>
    amounts.filter((amount) => new RegExp(`[${mark}]\\d{1,2}\\D*$`, 'u').test(amount)).length;
  if (countEndings(',') !== countEndings('.')) return countEndings(',') > countEndings('.') ? ',' : '.';
  return havePointsBetweenThousands(amounts) ? ',' : '.';
};

/**
 * Returns true for amounts such as "500" and "1.234", which occur with currencies without decimals. Amounts that all
 * have three digits after a point are those of a currency with three decimals.
 */
const havePointsBetweenThousands = (amounts: readonly string[]): boolean => {
  const withPoint = amounts.filter((amount) => amount.includes('.'));
  const areGroups =
    withPoint.length > 0 && withPoint.every((amount) => /^\D*[1-9]\d{0,2}(?:\.\d{3})+\D*$/u.test(amount));
  return areGroups && amounts.some((amount) => /\.\d{3}\./u.test(amount) || /^[^\d.]*[1-9]\d*[^\d.]*$/u.test(amount));
};

const guessDateOrder = (cells: readonly string[], decimal: ',' | '.'): BankOptions['dateOrder'] => {
  const dates = cells.map((cell) => DATE_CELL.exec(cell)?.groups).filter((groups) => groups !== undefined);
  if (dates.some((groups) => groups['first']?.length === 4)) return 'ymd';
  if (dates.some((groups) => Number(groups['second']) > 12)) return 'mdy';
  if (dates.some((groups) => Number(groups['first']) > 12)) return 'dmy';
  // Ambiguous dates with slashes are assumed to have the month first, unless amounts have a decimal comma: countries
  // that write one put the day first. Other ambiguous dates are assumed to have the day first.
  const hasSlashes = cells.some((cell) => cell.includes('/')) && !cells.some((cell) => cell.includes('.'));
  return hasSlashes && decimal === '.' ? 'mdy' : 'dmy';
};

/**
 * Returns a date such as "2024-03-01"; undefined if the cell is not a date in this order. A four-digit year can
 * always come first.
 */
export const dateOf = (cell: string, order: BankOptions['dateOrder']): string | undefined => {
  const separatedGroups = DATE_CELL.exec(cell.trim())?.groups;
  const compactGroups = /^(?<first>\d{4})(?<second>\d{2})(?<third>\d{2})$/u.exec(cell.trim())?.groups;
  const { first = '', second = '', third = '' } = separatedGroups ?? compactGroups ?? {};
  const reorderedParts = order === 'mdy' ? [third, first, second] : [third, second, first];
  const isYearFirst = first.length === 4 || order === 'ymd';
  const [year = '', month = '', day = ''] = isYearFirst ? [first, second, third] : reorderedParts;
  const fullYear = year.length === 2 ? `20${year}` : year;
  const date = `${fullYear}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const ms = Date.parse(`${date}T00:00:00Z`);
  // Rejects dates such as the 31st of February.
  return /^\d{4}-/u.test(date) && Number.isFinite(ms) && new Date(ms).toISOString().startsWith(date) ? date : undefined;
};

/** A longer cell is not an amount. Bounds the backtracking of the patterns. */
const MAX_AMOUNT_CHARS = 100;
/** Word after an amount, such as "Dr", which can be in parentheses. */
const TRAILING_WORD = /\d\P{L}*?(?<word>\p{L}+)\P{L}*$/u;

/**
 * Parses amounts such as "1.234,56 €", "-1,234.56", "(12.00)", "12,00-", "1'234.50", "Rs.500", "5.–" and "12.00 Dr".
 * Returns undefined if the marks of thousands and decimals are not where `decimal` requires them: "12,50" is not 1250.
 */
export const amountOf = (cell: string, decimal: ',' | '.'): number | undefined => {
  if (cell.length > MAX_AMOUNT_CHARS) return undefined;
  const amount = cell.replaceAll(CURRENCY_POINT, '').replace(DASHED_DECIMALS, '');
  const isNegative =
    /^\s*\(.*\)\s*$/u.test(amount) ||
    /[\p{Pd}−]/u.test(amount) ||
    isOutgoing(TRAILING_WORD.exec(amount)?.groups?.['word'] ?? '');
  const digits = amount.replaceAll(/[^\d.,]/gu, '');
  const [thousandsMark, decimalMark] = decimal === ',' ? ['.', ','] : [',', '.'];
  // The groups of lakhs and crores have two digits, such as "1,23,456".
  const notation = new RegExp(
    `^(?:\\d+(?:[${thousandsMark}]\\d{2,3})*[${thousandsMark}]\\d{3}|\\d*)[${decimalMark}]?\\d*$`,
    'u',
  );
  const number = Number(digits.replaceAll(thousandsMark, '').replace(decimalMark, '.'));
  if (!/\d/u.test(digits) || !notation.test(digits) || !Number.isFinite(number)) return undefined;
  return isNegative && number !== 0 ? -number : number;
};

const SYMBOL = /(?<prefix>\p{L}*)\s?(?<symbol>[€$£¥])/u;
/** Currencies by symbol, with the letters that precede it. "$" alone is assumed to be the US dollar. */
const CURRENCIES = new Map([
  ['€', 'EUR'],
  ['£', 'GBP'],
  ['¥', 'JPY'],
  ['CN¥', 'CNY'],
  ['$', 'USD'],
  ['US$', 'USD'],
  ['A$', 'AUD'],
  ['AU$', 'AUD'],
  ['C$', 'CAD'],
  ['CA$', 'CAD'],
  ['HK$', 'HKD'],
  ['MX$', 'MXN'],
  ['NT$', 'TWD'],
  ['NZ$', 'NZD'],
  ['R$', 'BRL'],
  ['S$', 'SGD'],
]);

/** Returns the ISO 4217 code of the symbol in an amount; undefined if there is none or if its letters are unknown. */
export const currencyOfAmount = (cell: string): string | undefined => {
  const { prefix = '', symbol = '' } = SYMBOL.exec(cell.slice(0, MAX_AMOUNT_CHARS))?.groups ?? {};
  return /^[A-Z]{3}$/u.test(prefix) ? prefix : CURRENCIES.get(prefix.toUpperCase() + symbol);
};

const OUTGOING =
  /^(?:s|soll|d|dr|db|dbit|debit|debet|d[ée]bit|d[ée]bito|addebito|cargo|af|out|outgoing|withdrawal|-)\.?$/iu;
const INCOMING = /^(?:h|haben|c|cr|crdt|credit|cr[ée]dit|cr[ée]dito|accredito|abono|bij|in|incoming|deposit|\+)\.?$/iu;

export const isOutgoing = (cell: string): boolean => OUTGOING.test(cell.trim());

/** Returns an amount with the sign of the direction; with its own sign if the direction is unknown. */
export const signedAmount = (amount: number, direction: string | undefined): number => {
  if (direction === undefined || amount === 0) return amount;
  if (isOutgoing(direction)) return -Math.abs(amount);
  return INCOMING.test(direction.trim()) ? Math.abs(amount) : amount;
};
