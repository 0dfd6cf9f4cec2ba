import { normalizeText } from '../../wire/normalize.ts';

/** Characters of a slug, without its number. */
const MAX_SLUG_CHARS = 120;

const plain = (text: string): string =>
  normalizeText(text, 'NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, '-')
    .replace(/^-+|-+$/gu, '');

/** The stem and the extension that a file's id is made of: source and name, lower case (decisions 6). */
export const slugOf = (source: string, name: string): { stem: string; extension: string } => {
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 ? plain(name.slice(dot + 1)).slice(0, 16) : '';
  const stem = `${plain(source)}${plain(dot > 0 ? name.slice(0, dot) : name)}`.slice(0, MAX_SLUG_CHARS);
  return { stem: stem === '' ? 'file' : stem, extension: extension === '' ? '' : `.${extension}` };
};

export const fileIdOf = (slug: { stem: string; extension: string }, number: number): string =>
  `${slug.stem}${number === 0 ? '' : `-${number}`}${slug.extension}`;

/** The slugs that an id can have been made from, and how other ids of each look (GLOB): a number at its end can be part of the name. */
export const slugsOfId = (fileId: string): { slug: string; others: string }[] => {
  const found = /^(?<stem>.*?)(?<number>-\d+)?(?<extension>\.[a-z0-9]+)?$/u.exec(fileId)?.groups;
  const { stem = '', number, extension = '' } = found ?? {};
  const of = (name: string) => ({ slug: `${name}${extension}`, others: `${name}-[0-9]*${extension}` });
  return number === undefined ? [of(stem)] : [of(stem), of(`${stem}${number}`)];
};

/** The first folder of a path below `files/`, which is the source of what lies there. */
export const sourceOfPath = (path: string): string => {
  const slash = path.indexOf('/');
  return slash <= 0 ? 'folder' : path.slice(0, slash);
};

export type Range = { start: number; end: number };

/**
 * One range of bytes (RFC 9110, section 14). Undefined: answer with the whole; null: nothing of it is there (416). Several ranges are answered
 * with the whole, as the RFC allows.
 */
export const rangeOf = (header: string | undefined, size: number): Range | null | undefined => {
  const found = /^bytes=(\d*)-(\d*)$/u.exec(header?.trim() ?? '');
  if (found === null) return undefined;
  const [, first = '', last = ''] = found;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? null : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? null : { start, end };
};
