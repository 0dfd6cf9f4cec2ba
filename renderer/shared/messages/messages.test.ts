import { describe, expect, it } from 'vitest';
import { de as exchangeDe } from '../../operator/messages/de.ts';
import { en as exchangeEn } from '../../operator/messages/en.ts';
import { de } from '../../dashboard/messages/de.ts';
import { en } from '../../dashboard/messages/en.ts';
import { languageFor } from '../format/languages.ts';

/** Every text by its place; of a function what it is written as. */
function texts(catalogue: unknown, place = ''): [place: string, text: string][] {
  if (typeof catalogue === 'string') return [[place, catalogue]];
  if (typeof catalogue === 'function') return [[place, String(catalogue)]];
  if (typeof catalogue !== 'object' || catalogue === null) return [];
  return Object.entries(catalogue).flatMap(([key, value]) => texts(value, place === '' ? key : `${place}.${key}`));
}

/** Words that are the same in both languages: names, formats, and what German took over. */
const SAME = new Set(
  `Name Version Data API JSON NDJSON CSV SHA-256 OpenAPI App Text Format Filter Video Logo Id Import Administrator PDA PDAs
   Personal Account Audio Details Cookies QR PIN Proxy Relay Domain Uploads Upload Passkeys Passphrase Status Website Person Archive Videos in April August September November profile me pda example
   Google Takeout Apple Health UTF-8 UTF-16 owner namespaceread namespacewrite managefiles datadebit`.split(/\s+/),
);

const wordsOf = (text: string): string[] => text.replaceAll(/\$\{[^}]*\}/g, ' ').match(/[\p{L}\p{N}-]{2,}/gu) ?? [];

/** A function whose result contains only its arguments is equal in every language. */
function wordsSaid(text: string): string[] {
  if (!text.includes('=>')) return wordsOf(text);
  return [...text.matchAll(/'([^']*)'|`([^`]*)`/gu)].flatMap(([, plain = '', template = '']) =>
    wordsOf(plain + template),
  );
}

describe.each([
  ['the dashboard', en, de],
  ['the exchange’s pages', exchangeEn, exchangeDe],
])('the texts of %s', (_, english, german) => {
  const inEnglish = new Map(texts(english));
  const inGerman = new Map(texts(german));

  it('are all there in German, and no others', () => {
    expect([...inGerman.keys()].toSorted()).toEqual([...inEnglish.keys()].toSorted());
    expect(inEnglish.size).toBeGreaterThan(300);
  });

  it('are not left in English', () => {
    const left = [...inEnglish]
      // An id beside its text is no text.
      .filter(([place, text]) => text === inGerman.get(place) && !place.endsWith('.id'))
      .filter(([, text]) => wordsSaid(text).some((word) => !SAME.has(word)))
      .map(([place, text]) => `${place}: ${text}`);
    expect(left).toEqual([]);
  });

  it('address the owner as “du”, and never shout', () => {
    const odd = [...inGerman].filter(([, text]) => /!(?!=)|\bIhnen\b|\bIhre[mnrs]? PDA|\bSie können\b/u.test(text));
    expect(odd).toEqual([]);
  });
});

describe('the language of a page', () => {
  it.each([
    [null, ['de-AT', 'en'], 'de'],
    [null, ['fr-FR', 'de', 'en'], 'de'],
    [null, ['fr', 'ja'], 'en'],
    [null, [], 'en'],
    ['en', ['de'], 'en'],
    ['de', ['en-US'], 'de'],
    ['xx', ['de'], 'de'],
    ['constructor', ['en'], 'en'],
  ])('chosen %j, and the browser asks for %j: %s', (chosen, wanted, language) => {
    expect(languageFor(chosen, wanted)).toBe(language);
  });
});
