import { describe, expect, it } from 'vitest';
import { de as exchangeDe } from '../../operator/messages/de.ts';
import { en as exchangeEn } from '../../operator/messages/en.ts';
import * as de from '../../dashboard/messages/de.ts';
import * as en from '../../dashboard/messages/en.ts';
import { languageFor } from '../format/languages.ts';

/** Lists all messages with their key paths. A function is represented by its source code. */
function listMessages(catalogue: unknown, path = ''): [path: string, text: string][] {
  if (typeof catalogue === 'string') return [[path, catalogue]];
  if (typeof catalogue === 'function') return [[path, String(catalogue)]];
  if (typeof catalogue !== 'object' || catalogue === null) return [];
  return Object.entries(catalogue).flatMap(([key, value]) => listMessages(value, path === '' ? key : `${path}.${key}`));
}

/** Words that are equal in both languages: names, formats and loanwords. */
const SHARED_WORDS = new Set(
  `Name Position Version Data API JSON NDJSON CSV SHA-256 OpenAPI App Text Format Filter Video Logo Id Import Administrator PDA PDAs
   Personal Account Audio Details Cookies QR PIN Enter Proxy Relay Domain Uploads Upload Esc Passkeys Passphrase Status Website Person Archive Videos
   in April August September November profile me pda example GeoJSON Link Links Limit optional Orange Google Takeout Apple Health UTF-8 UTF-16
   owner namespaceread namespacewrite managefiles datadebit`.split(/\s+/),
);

const wordsOf = (text: string): string[] => text.replaceAll(/\$\{[^}]*\}/g, ' ').match(/[\p{L}\p{N}-]{2,}/gu) ?? [];

/** Returns the words of a message, or of the string literals in a function's source code. */
function wordsInLiterals(text: string): string[] {
  if (!text.includes('=>')) return wordsOf(text);
  return [...text.matchAll(/'([^']*)'|`([^`]*)`/gu)].flatMap(([, plain = '', template = '']) =>
    wordsOf(plain + template),
  );
}

describe.each([
  ['the dashboard', en, de],
  ['the exchange’s pages', exchangeEn, exchangeDe],
])('messages of %s', (_, english, german) => {
  const englishTexts = new Map(listMessages(english));
  const germanTexts = new Map(listMessages(german));

  it('have the same keys in English and German', () => {
    expect([...germanTexts.keys()].toSorted()).toEqual([...englishTexts.keys()].toSorted());
    expect(englishTexts.size).toBeGreaterThan(300);
  });

  it('are translated into German', () => {
    const untranslatedTexts = [...englishTexts]
      // Ids are not translated.
      .filter(([path, text]) => text === germanTexts.get(path) && !path.endsWith('.id'))
      .filter(([, text]) => wordsInLiterals(text).some((word) => !SHARED_WORDS.has(word)))
      .map(([path, text]) => `${path}: ${text}`);
    expect(untranslatedTexts).toEqual([]);
  });

  it('use neither formal address nor exclamation marks in German', () => {
    const offendingTexts = [...germanTexts].filter(([, text]) =>
      /!(?!=)|\bIhnen\b|\bIhre[mnrs]? PDA|\bSie können\b/u.test(text),
    );
    expect(offendingTexts).toEqual([]);
  });
});

describe('languageFor', () => {
  it.each([
    [null, ['de-AT', 'en'], 'de'],
    [null, ['fr-FR', 'de', 'en'], 'de'],
    [null, ['fr', 'ja'], 'en'],
    [null, [], 'en'],
    ['en', ['de'], 'en'],
    ['de', ['en-US'], 'de'],
    ['xx', ['de'], 'de'],
    ['constructor', ['en'], 'en'],
  ])('given the selection %j and the browser languages %j, returns %s', (selected, preferred, language) => {
    expect(languageFor(selected, preferred)).toBe(language);
  });
});
