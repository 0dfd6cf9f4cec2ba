import type { FeedItem } from '../../../shared/api/contract.ts';

/** What an entry says, as text. What others wrote as HTML is never more than that here. */

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

function entity(whole: string, name: string): string {
  const code = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(name);
  if (code === null) return ENTITIES[name.toLowerCase()] ?? whole;
  const point = code[1] === undefined ? Number(code[2]) : Number.parseInt(code[1], 16);
  return point > 0 && point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole;
}

/** The words of a piece of HTML. */
export function wordsOfHtml(html: string): string {
  return html
    .replaceAll(/<(script|style|template)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, '')
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replaceAll(/<(?:br|\/p|\/div|\/li|\/h\d|\/tr)\b[^>]*>/gi, '\n')
    .replaceAll(/<\/?[a-z][^>]*(?:>|$)/gi, '')
    .replaceAll(/&(#?\w{1,10});/g, entity)
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ ?\n ?(?:\s*\n)?/g, '\n')
    .trim();
}

export function textOf({ content }: FeedItem): string {
  const text = content?.text ?? '';
  return text !== '' ? text : wordsOfHtml(content?.html ?? '');
}

/** "Leeds, United Kingdom"; undefined when nothing is said that a person would read. */
export function placeOf({ location }: FeedItem): string | undefined {
  const address = location?.address;
  const parts = [address?.name, address?.street, address?.zip, address?.city, address?.country];
  const said = parts.filter((part) => part != null && part !== '');
  if (said.length > 0) return [...new Set(said)].join(', ');
  const geo = location?.geo;
  return geo == null ? undefined : `${geo.latitude.toFixed(4)}, ${geo.longitude.toFixed(4)}`;
}

/** Addresses of its pictures, the small form where there is one; each once. */
export function picturesOf({ content }: FeedItem): string[] {
  const urls = (content?.media ?? []).map(({ thumbnail, url }) =>
    (thumbnail ?? '') === '' ? (url ?? '') : (thumbnail ?? ''),
  );
  return [...new Set(urls)].filter((url) => url !== '');
}

interface Part {
  text: string;
  badge: string | undefined;
}

/** What it is made of, in one list: "Steps 4 211". */
export function partsOf({ content }: FeedItem): Part[] {
  return Object.values(content?.nestedStructure ?? {}).flatMap((some) =>
    some.map(({ content: text, badge }) => ({ text, badge: badge == null || badge === '' ? undefined : badge })),
  );
}
