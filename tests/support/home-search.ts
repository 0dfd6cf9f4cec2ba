import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { registerQueryFunctions } from '../../server/pda/data/queries/sql/functions.ts';
import { filesBelow } from './backups.ts';

/** Creates a unique word. It has only letters, so that full-text indexes store it as one word. */
export const newCanary = (label: string): string =>
  `canary${label}${[...randomBytes(12)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('')}`;

export const newCanaries = <Name extends string>(names: readonly Name[]): Record<Name, string> =>
  Object.fromEntries(names.map((name) => [name, newCanary(name)])) as Record<Name, string>;

/** Returns the three base64 forms of a string, without the characters that depend on neighbouring bytes. */
const base64Of = (text: string): string[] =>
  [0, 1, 2].map((precedingBytes) => {
    const encoded = Buffer.from('x'.repeat(precedingBytes) + text).toString('base64');
    const start = Math.ceil((precedingBytes * 4) / 3);
    return encoded.slice(start === 0 ? 0 : start + 1, -4);
  });

const formsOf = (text: string): [form: string, bytes: Buffer][] => {
  const hex = Buffer.from(text).toString('hex');
  return [
    ['plain', Buffer.from(text)],
    ['capitals', Buffer.from(text.toUpperCase())],
    ['UTF-16', Buffer.from(text, 'utf16le')],
    ['UTF-16 BE', Buffer.from(text, 'utf16le').swap16()],
    ['hex', Buffer.from(hex)],
    ['HEX', Buffer.from(hex.toUpperCase())],
    ...base64Of(text).map((form): [string, Buffer] => ['base64', Buffer.from(form)]),
  ];
};

/**
 * Returns all words of the full-text indexes of a database. An index stores a common prefix of words only once, so a
 * search of its bytes would miss words.
 */
const wordsIn = (database: string): Set<string> => {
  const db = new Sqlite(database, { readonly: true });
  try {
    registerQueryFunctions(db);
    const tables = db
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5%'")
      .pluck()
      .all();
    const words = new Set<string>();
    for (const table of tables) {
      db.exec(`CREATE VIRTUAL TABLE temp.words_${table} USING fts5vocab('main', '${table}', 'row')`);
      for (const word of db.prepare<[], string>(`SELECT term FROM temp.words_${table}`).pluck().all()) words.add(word);
    }
    return words;
  } finally {
    db.close();
  }
};

/**
 * Finds canaries in the files, file names and full-text indexes of a stopped server's home.
 * @returns a phrase for each match, with the canary and its location
 */
export const findCanaries = (home: string, canaries: readonly string[]): string[] => {
  const matches: string[] = [];
  const files = filesBelow(home);
  for (const name of files) {
    const bytes = readFileSync(join(home, name));
    for (const canary of canaries) {
      if (name.includes(canary)) matches.push(`${canary} as a name: ${name}`);
      for (const [form, encoded] of formsOf(canary))
        if (bytes.includes(encoded)) matches.push(`${canary} as ${form} in ${name}`);
    }
  }
  if (!files.includes('pda.sqlite')) return matches;
  const indexedWords = wordsIn(join(home, 'pda.sqlite'));
  for (const canary of canaries) if (indexedWords.has(canary)) matches.push(`${canary} as a word of an index`);
  return matches;
};
