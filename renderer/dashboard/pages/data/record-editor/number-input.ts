import { LANGUAGES, type Language } from '../../../../shared/format/languages.ts';

// Converts numbers between JSON and input text. Copies the digits as text, because a double cannot keep all of them.

const PLAIN_NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/u;
/** White space that groups digits. */
const DIGIT_SPACE = /(?<=\d)\s(?=\d)/gu;

function separatorsOf(language: Language): { group: string; decimal: string } {
  const parts = new Intl.NumberFormat(LANGUAGES[language].locale).formatToParts(12_345.5);
  const separator = (type: 'group' | 'decimal'): string => parts.find((part) => part.type === type)?.value ?? '';
  return { group: separator('group'), decimal: separator('decimal') };
}

/** Uses the decimal separator of the language and does not group digits. */
export const numberInputText = (json: string, language: Language): string =>
  json.replace('.', separatorsOf(language).decimal);

/** Removes the group separators from a number, unless a group has a wrong number of digits. */
function withoutGroups(text: string, { group, decimal }: { group: string; decimal: string }): string {
  const [whole = '', ...rest] = text.split(decimal);
  const groups = whole.replace(/^[+-]/u, '').split(group);
  const isGrouped =
    groups.length > 1 && groups.every((digits, index) => (index === 0 ? /^\d{1,3}$/u : /^\d{3}$/u).test(digits));
  return [isGrouped ? whole.replaceAll(group, '') : whole, ...rest].join(decimal);
}

/** Returns JSON without leading zeros; undefined if the text is not a number, or is a number too large for a double. */
export function parseNumberInput(text: string, language: Language): string | undefined {
  const separators = separatorsOf(language);
  const ungrouped = withoutGroups(text.trim().replace('\u2212', '-').replaceAll(DIGIT_SPACE, ''), separators);
  if (separators.decimal !== '.' && ungrouped.includes('.')) return undefined;
  const match = PLAIN_NUMBER.exec(ungrouped.replace(separators.decimal, '.'));
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent] = match;
  if (whole === '' && fraction === '') return undefined;
  const json = [
    sign === '-' ? '-' : '',
    whole.replace(/^0+(?=\d)/u, '') || '0',
    fraction === '' ? '' : `.${fraction}`,
    exponent === undefined ? '' : `e${exponent}`,
  ].join('');
  return Number.isFinite(Number(json)) ? json : undefined;
}
