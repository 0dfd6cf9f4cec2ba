import {
  createContentLines,
  createEntryLines,
  splitEscaped,
  plainText,
  type ContentLine,
  type EntryLines,
} from '../parsing/content-lines.ts';
import {
  orNothing,
  readEntry,
  someOf,
  type EntrySink,
  type ParsedJson,
  type ParsedObject,
  type Reader,
} from '../parsing/entries.ts';

/** Characters of base64 up to which a picture is kept within the record. */
const MAX_PHOTO = 400_000;
/** Lines of one contact: those of a group are looked for among all. */
const MAX_LINES = 5000;

const TYPES_THAT_SAY_NOTHING = new Set(['pref', 'internet', 'voice', 'x-pref', 'uri', 'text']);

export const isContacts = (head: string): boolean => /^\s*BEGIN:VCARD/iu.test(head);

/** Contacts (vCard 2.1, 3.0, 4.0), one entry each. */
export const createContactsReader = (found: EntrySink): Reader => {
  let card: { line: number; lines: EntryLines } | undefined;
  let depth = 0;
  let isAfterAgent = false;

  const typeOf = (line: ContentLine, card: readonly ContentLine[]): string | undefined => {
    const label = card.find((other) => other.group !== '' && other.group === line.group && other.name === 'X-ABLABEL');
    if (label !== undefined)
      return orNothing(
        plainText(label.value)
          .replace(/^_\$!<(?<name>.*)>!\$_$/u, '$<name>')
          .toLowerCase(),
      );
    const types = (line.params.get('TYPE') ?? []).map((type) => type.toLowerCase());
    return orNothing(types.filter((type) => !TYPES_THAT_SAY_NOTHING.has(type)).join(' '));
  };

  const photoOf = (line: ContentLine | undefined): ParsedJson => {
    if (line === undefined) return undefined;
    const inline = /^data:(?<type>[\w/+.-]+)(?:;[^,]*)?,(?<data>.*)$/su.exec(line.value)?.groups;
    const isEncoded = (line.params.get('ENCODING') ?? []).some((one) => /^(?:b|base64)$/iu.test(one));
    if (inline === undefined && !isEncoded)
      return /^https?:/iu.test(line.value) ? { url: orNothing(line.value) } : undefined;
    const given = (line.params.get('TYPE')?.[0] ?? 'jpeg').toLowerCase();
    const contentType = inline?.['type'] ?? (given.includes('/') ? given : `image/${given}`);
    const data = (inline?.['data'] ?? line.value).replaceAll(/\s/gu, '');
    if (!/^[A-Za-z0-9+/]+=*$/u.test(data)) return undefined;
    const bytes = Math.floor((data.replace(/=+$/u, '').length * 3) / 4);
    return { contentType, bytes, base64: data.length > MAX_PHOTO ? undefined : data };
  };

  const birthday = (value: string): string | undefined => {
    const found = /^(?<year>\d{4}|--)-?(?<month>\d{2})-?(?<day>\d{2})/u.exec(value.trim())?.groups;
    if (found === undefined) return orNothing(value);
    const year = found['year'] === '--' ? '-' : (found['year'] ?? '');
    return `${year}-${found['month'] ?? ''}-${found['day'] ?? ''}`;
  };

  const emit = (lines: readonly ContentLine[], place: string): void => {
    const one = (name: string): ContentLine | undefined => lines.find((each) => each.name === name);
    const all = (name: string): ContentLine[] => lines.filter((each) => each.name === name);
    const text = (name: string): string | undefined => orNothing(plainText(one(name)?.value ?? ''));
    const listed = (name: string): readonly ParsedJson[] | undefined =>
      someOf(
        all(name).flatMap((each) => {
          const value = orNothing(plainText(each.value).replace(/^(?:tel|mailto):/iu, ''));
          return value === undefined ? [] : [{ value, type: typeOf(each, lines) }];
        }),
      );
    const [family, given, middle, before, after] = splitEscaped(one('N')?.value ?? '', ';').map((part) =>
      orNothing(plainText(part)),
    );
    const [organization, department] = splitEscaped(one('ORG')?.value ?? '', ';').map((part) =>
      orNothing(plainText(part)),
    );
    const emails = listed('EMAIL');
    const phones = listed('TEL');
    const spelled = [before, given, middle, family, after].filter((part) => part !== undefined).join(' ');
    const first = (list: readonly ParsedJson[] | undefined): string | undefined => {
      const value = (list?.[0] as { value?: ParsedJson } | undefined)?.value;
      return typeof value === 'string' ? value : undefined;
    };
    const name = text('FN') ?? orNothing(spelled) ?? organization ?? first(emails) ?? first(phones);
    if (name === undefined) return found.trouble(place, 'this contact has no name, no address and no number');
    const uid = text('UID');
    const data: ParsedObject = {
      name,
      givenName: given,
      familyName: family,
      additionalNames: middle,
      prefix: before,
      suffix: after,
      nickname: text('NICKNAME'),
      organization,
      department,
      jobTitle: text('TITLE') ?? text('ROLE'),
      emails,
      phones,
      addresses: someOf(
        all('ADR').flatMap((each) => {
          const [box, extended, street, city, region, postalCode, country] = splitEscaped(each.value, ';').map((part) =>
            orNothing(plainText(part)),
          );
          const whole = [box, extended, street].filter((part) => part !== undefined).join('\n');
          const address = { street: orNothing(whole), city, region, postalCode, country };
          return Object.values(address).every((part) => part === undefined)
            ? []
            : [{ ...address, type: typeOf(each, lines) }];
        }),
      ),
      urls: listed('URL'),
      messengers: listed('IMPP'),
      birthday: one('BDAY') === undefined ? undefined : birthday(one('BDAY')?.value ?? ''),
      anniversary: text('ANNIVERSARY') ?? text('X-ANNIVERSARY'),
      note: text('NOTE'),
      categories: someOf(
        all('CATEGORIES').flatMap((each) => splitEscaped(each.value, ',').map((part) => plainText(part))),
      ),
      updated: text('REV'),
      uid,
      photo: photoOf(one('PHOTO')),
    };
    const identity = uid === undefined ? `${name}\n${first(emails) ?? ''}\n${first(phones) ?? ''}` : `uid\n${uid}`;
    found.entry({ kind: 'contacts/people', identity, data }, place);
  };

  const cutOff = (): void => {
    if (card !== undefined) found.trouble(`line ${card.line}`, 'this contact does not end');
    card = undefined;
  };

  const lines = createContentLines({
    // Base64 without its folds, as version 2.1 is often written, ends at an empty line and looks like lines without a name.
    broken: (line, problem) => {
      const photo = card?.lines.last();
      if (photo?.params.has('ENCODING') !== true) found.trouble(`line ${line}`, problem);
    },
    take(line) {
      const isCard = line.value.trim().toUpperCase() === 'VCARD';
      if (line.name === 'BEGIN' && isCard) {
        // vCard 2.1 has cards within cards (AGENT); otherwise the one before was cut off.
        if (card !== undefined && isAfterAgent) depth += 1;
        else {
          cutOff();
          depth = 0;
          card = { line: line.line, lines: createEntryLines(MAX_LINES) };
        }
      } else if (line.name === 'END' && isCard) {
        if (depth > 0) depth -= 1;
        else if (card !== undefined) {
          const { line: begun, lines } = card;
          card = undefined;
          readEntry(found, `line ${begun}`, () => emit(lines.all(), `line ${begun}`));
        }
      } else if (depth === 0) card?.lines.add(line);
      isAfterAgent = line.name === 'AGENT';
    },
  });

  return {
    push: (piece) => lines.push(piece),
    end() {
      lines.end();
      cutOff();
    },
  };
};
