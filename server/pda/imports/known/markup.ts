import { MAX_ENTRY } from './found.ts';

/**
 * Reads HTML and XML as they come, tag by tag, in pieces of any size. What is not well formed is passed over and nothing is expanded: of entities only
 * the five of XML, the space of HTML and numbers are known, so nothing small becomes large, and a document type says nothing here.
 */

export type MarkupEvent =
  | {
      readonly kind: 'open';
      readonly name: string;
      readonly attributes: ReadonlyMap<string, string>;
      readonly closed: boolean;
      readonly at: number;
    }
  | { readonly kind: 'close'; readonly name: string; readonly at: number }
  | { readonly kind: 'text'; readonly text: string; readonly at: number }
  /** A tag that is too large, or does not end before the next begins. */
  | { readonly kind: 'broken'; readonly at: number };

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  emsp: ' ',
  ensp: ' ',
  thinsp: ' ',
};
const ENTITY = /&(?:#x(?<hex>[\da-f]{1,6})|#(?<decimal>\d{1,7})|(?<name>[a-z]{2,8}));/giu;
const ATTRIBUTE = /(?<name>[^\s=/"'<>]+)\s*(?:=\s*(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<bare>[^\s"'>]+)))?/gu;
const NAME = /^\/?(?<name>[A-Za-z_][\w:.-]*)/u;
const HIDDEN = new Set(['script', 'style']);
/** Characters of one tag. */
const MAX_TAG = 1_000_000;
const MAX_ATTRIBUTES = 200;

export const plainEntities = (text: string): string =>
  text.includes('&')
    ? text.replaceAll(
        ENTITY,
        (whole, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
          if (name !== undefined) return ENTITIES[name] ?? ENTITIES[name.toLowerCase()] ?? whole;
          const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
          return point > 0 && point <= 0x10_ff_ff && (point < 0xd8_00 || point > 0xdf_ff)
            ? String.fromCodePoint(point)
            : whole;
        },
      )
    : text;

const attributesOf = (text: string): Map<string, string> => {
  const attributes = new Map<string, string>();
  for (const { groups } of text.matchAll(ATTRIBUTE)) {
    const name = groups?.['name'];
    if (name === undefined || attributes.has(name)) continue;
    attributes.set(name, plainEntities(groups?.['double'] ?? groups?.['single'] ?? groups?.['bare'] ?? ''));
    if (attributes.size >= MAX_ATTRIBUTES) break;
  }
  return attributes;
};

/** Where a tag ends: the first `>` outside quotes; -1 when it is not there yet. */
const endOfTag = (text: string, from: number): number => {
  let quote = '';
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '>') return at;
  }
  return -1;
};

/** `at` of an event: in which line of the file it begins, counted from 1. */
export const createMarkup = (take: (event: MarkupEvent) => void) => {
  const decoder = new TextDecoder('utf-8');
  let held = '';
  let line = 1;
  let hidden = '';

  const count = (text: string): void => {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) line += 1;
  };

  const tag = (inner: string): void => {
    const name = NAME.exec(inner)?.groups?.['name'];
    if (name === undefined) return;
    if (inner.startsWith('/')) {
      if (name.toLowerCase() === hidden) hidden = '';
      return take({ kind: 'close', name, at: line });
    }
    if (hidden !== '') return;
    const closed = inner.endsWith('/');
    if (HIDDEN.has(name.toLowerCase()) && !closed) hidden = name.toLowerCase();
    take({
      kind: 'open',
      name,
      attributes: attributesOf(inner.slice(name.length, closed ? -1 : undefined)),
      closed,
      at: line,
    });
  };

  const text = (words: string): void => {
    if (words !== '' && hidden === '') take({ kind: 'text', text: plainEntities(words), at: line });
  };

  /** Where what begins at `<` ends (after it), or undefined when that has not arrived. */
  const special = (from: number): number | undefined | 'tag' => {
    const ends = (mark: string, begin: number): number | undefined => {
      const end = held.indexOf(mark, begin);
      return end === -1 ? undefined : end + mark.length;
    };
    if (held.startsWith('<!--', from)) return ends('-->', from + 4);
    if (held.startsWith('<![CDATA[', from)) {
      const end = ends(']]>', from + 9);
      if (end !== undefined && hidden === '') take({ kind: 'text', text: held.slice(from + 9, end - 3), at: line });
      return end;
    }
    if (held.startsWith('<?', from)) return ends('?>', from + 2);
    if (held.startsWith('<!', from)) {
      const inside = held.indexOf('[', from);
      const plain = endOfTag(held, from);
      // A document type with declarations of its own ends with its bracket; they are not looked at.
      if (/^<!doctype/iu.test(held.slice(from, from + 9)) && inside !== -1 && (plain === -1 || inside < plain)) {
        const end = /\]\s*>/u.exec(held.slice(inside));
        return end === null ? undefined : inside + end.index + end[0].length;
      }
      return plain === -1 ? undefined : plain + 1;
    }
    return 'tag';
  };

  const work = (last: boolean): void => {
    let at = 0;
    while (at < held.length) {
      if (hidden !== '') {
        // Scripts and styles are not looked into but for their end.
        const end = held.slice(at).search(new RegExp(`</${hidden}`, 'iu'));
        const until = end === -1 ? Math.max(at, held.length - (last ? 0 : hidden.length + 2)) : at + end;
        count(held.slice(at, until));
        at = until;
        if (end === -1) break;
      }
      const open = held.indexOf('<', at);
      if (open === -1) {
        // An entity may be cut in two; text of any length is handed over in parts.
        const amp = held.lastIndexOf('&');
        const until = last || amp < at || held.length - amp > 12 ? held.length : amp;
        text(held.slice(at, until));
        count(held.slice(at, until));
        at = until;
        break;
      }
      text(held.slice(at, open));
      count(held.slice(at, open));
      at = open;
      // Too little to tell what it is.
      if (!last && held.length - open < 9) break;
      const other = special(open);
      const end = other === 'tag' ? endOfTag(held, open) : other;
      if (end === undefined || end === -1) {
        if (!last && held.length - open < (other === 'tag' ? MAX_TAG : MAX_ENTRY)) break;
        take({ kind: 'broken', at: line });
        // Goes on at the next tag, so that a quote that is never closed costs one.
        const next = held.indexOf('\n', open + 1);
        const until = next === -1 ? held.length : next;
        count(held.slice(open, until));
        at = until;
        continue;
      }
      if (other === 'tag') {
        const inner = held.slice(open + 1, end);
        if (/\n[^\S\n]*</u.test(inner)) {
          // A quote that is missing took the next tags in.
          take({ kind: 'broken', at: line });
          const until = open + 1 + (/\n[^\S\n]*</u.exec(inner)?.index ?? 0);
          count(held.slice(open, until));
          at = until;
          continue;
        }
        tag(inner);
        count(inner);
        at = end + 1;
      } else {
        count(held.slice(open, end));
        at = end;
      }
    }
    held = held.slice(at);
  };

  return {
    push(piece: Buffer): void {
      held += decoder.decode(piece, { stream: true });
      work(false);
    },
    end(): void {
      held += decoder.decode();
      work(true);
    },
  };
};
