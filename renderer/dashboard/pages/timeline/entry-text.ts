import type { FeedItem, ImportJob } from '../../../shared/api/contract.ts';
import { m } from '../../../shared/messages/texts.ts';

const texts = m.timeline;

const HTML_ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

function decodeEntity(entity: string, name: string): string {
  const code = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(name);
  if (code === null) return HTML_ENTITIES[name.toLowerCase()] ?? entity;
  const point = code[1] === undefined ? Number(code[2]) : Number.parseInt(code[1], 16);
  return point > 0 && point <= 0x10_ff_ff ? String.fromCodePoint(point) : entity;
}

export function htmlToText(html: string): string {
  return html
    .replaceAll(/<(script|style|template)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, '')
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replaceAll(/<(?:br|\/p|\/div|\/li|\/h\d|\/tr)\b[^>]*>/gi, '\n')
    .replaceAll(/<\/?[a-z][^>]*(?:>|$)/gi, '')
    .replaceAll(/&(#?\w{1,10});/g, decodeEntity)
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ ?\n ?(?:\s*\n)?/g, '\n')
    .trim();
}

export function textOf({ content }: FeedItem): string {
  const text = content?.text ?? '';
  return text !== '' ? text : htmlToText(content?.html ?? '');
}

export function locationText({ location }: FeedItem): string | undefined {
  const address = location?.address;
  const parts = [address?.name, address?.street, address?.zip, address?.city, address?.country];
  const filledParts = parts.filter((part) => part != null && part !== '');
  if (filledParts.length > 0) return [...new Set(filledParts)].join(', ');
  const geo = location?.geo;
  return geo == null ? undefined : `${geo.latitude.toFixed(4)}, ${geo.longitude.toFixed(4)}`;
}

export function picturesOf({ content }: FeedItem): string[] {
  const urls = (content?.media ?? []).map(({ thumbnail, url }) =>
    (thumbnail ?? '') === '' ? (url ?? '') : (thumbnail ?? ''),
  );
  return [...new Set(urls)].filter((url) => url !== '');
}

interface EntryPart {
  text: string;
  badge: string | undefined;
}

/** Returns parts such as "Steps" with the badge "4 211". */
export function partsOf({ content }: FeedItem): EntryPart[] {
  return Object.values(content?.nestedStructure ?? {}).flatMap((parts) =>
    parts.map(({ content: text, badge }) => ({ text, badge: badge == null || badge === '' ? undefined : badge })),
  );
}

/** Returns the result of an import that has ended. */
export function importText({ state, added, changed }: Pick<ImportJob, 'state' | 'added' | 'changed'>): string {
  if (state === 'failed') return texts.importFailed;
  if (state === 'undone') return texts.importUndone;
  return added === 0 && changed > 0 ? texts.importUpdated(changed) : texts.imported(added);
}
