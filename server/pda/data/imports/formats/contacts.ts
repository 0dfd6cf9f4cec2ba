import {
  createContentLineParser,
  createEntryLines,
  splitEscaped,
  textsOfLists,
  unescapeText,
  type ContentLine,
  type EntryLines,
} from '../parsing/content-lines.ts';
import {
  nonEmptyText,
  readEntry,
  nonEmptyList,
  type EntrySink,
  type ParsedJson,
  type ParsedObject,
  type FormatReader,
} from '../parsing/entries.ts';

/** Maximum base64 characters of a stored picture. */
const MAX_PHOTO_CHARS = 400_000;
/** Maximum lines of a contact, because finding the label of a group scans all of them. */
const MAX_CONTACT_LINES = 5000;

const IGNORED_TYPES = new Set(['pref', 'internet', 'voice', 'x-pref', 'uri', 'text']);

export const isContacts = (head: string): boolean => /^\s*BEGIN:VCARD/iu.test(head);

/** Reads vCard 2.1, 3.0 and 4.0. Emits one entry per card, and ignores a card that is nested in another one. */
export const createContactsReader = (sink: EntrySink): FormatReader => {
  let card: { line: number; lines: EntryLines } | undefined;
  let depth = 0;
  let isAfterAgent = false;

  const typeOf = (line: ContentLine, cardLines: readonly ContentLine[]): string | undefined => {
    const label = cardLines.find(({ group, name }) => group !== '' && group === line.group && name === 'X-ABLABEL');
    if (label !== undefined)
      return nonEmptyText(
        unescapeText(label.value)
          .replace(/^_\$!<(?<name>.*)>!\$_$/u, '$<name>')
          .toLowerCase(),
      );
    const types = (line.params.get('TYPE') ?? []).map((type) => type.toLowerCase());
    return nonEmptyText(types.filter((type) => !IGNORED_TYPES.has(type)).join(' '));
  };

  const photoOf = (line: ContentLine | undefined): ParsedJson => {
    if (line === undefined) return undefined;
    const inlineGroups = /^data:(?<type>[\w/+.-]+)(?:;[^,]*)?,(?<data>.*)$/su.exec(line.value)?.groups;
    const isEncoded = (line.params.get('ENCODING') ?? []).some((encoding) => /^(?:b|base64)$/iu.test(encoding));
    if (inlineGroups === undefined && !isEncoded)
      return /^https?:/iu.test(line.value) ? { url: nonEmptyText(line.value) } : undefined;
    const type = (line.params.get('TYPE')?.[0] ?? 'jpeg').toLowerCase();
    const contentType = inlineGroups?.['type'] ?? (type.includes('/') ? type : `image/${type}`);
    const data = (inlineGroups?.['data'] ?? line.value).replaceAll(/\s/gu, '');
    if (!/^[A-Za-z0-9+/]+=*$/u.test(data)) return undefined;
    const bytes = Math.floor((data.replace(/=+$/u, '').length * 3) / 4);
    return { contentType, bytes, base64: data.length > MAX_PHOTO_CHARS ? undefined : data };
  };

  const birthdayOf = ({ value, params }: ContentLine): string | undefined => {
    const groups = /^(?<year>\d{4}|--)-?(?<month>\d{2})-?(?<day>\d{2})/u.exec(value.trim())?.groups;
    if (groups === undefined) return nonEmptyText(value);
    // Apple writes a birthday without a year as 1604-03-05, for example, and names the year to omit in a parameter.
    const unknownYears = ['--', ...(params.get('X-APPLE-OMIT-YEAR') ?? [])];
    const year = unknownYears.includes(groups['year'] ?? '') ? '-' : (groups['year'] ?? '');
    return `${year}-${groups['month'] ?? ''}-${groups['day'] ?? ''}`;
  };

  const emit = (lines: readonly ContentLine[], filePosition: string): void => {
    const findLine = (property: string): ContentLine | undefined => lines.find((line) => line.name === property);
    const findLines = (property: string): ContentLine[] => lines.filter((line) => line.name === property);
    const textOf = (name: string): string | undefined => nonEmptyText(unescapeText(findLine(name)?.value ?? ''));
    const typedValues = (name: string): readonly ParsedJson[] | undefined =>
      nonEmptyList(
        findLines(name).flatMap((line) => {
          const value = nonEmptyText(unescapeText(line.value).replace(/^(?:tel|mailto):/iu, ''));
          return value === undefined ? [] : [{ value, type: typeOf(line, lines) }];
        }),
      );
    const componentsOf = (value = ''): (string | undefined)[] =>
      splitEscaped(value, ';').map((part) => nonEmptyText(unescapeText(part)));
    const [familyName, givenName, additionalNames, prefix, suffix] = componentsOf(findLine('N')?.value);
    const [organization, department] = componentsOf(findLine('ORG')?.value);
    const emails = typedValues('EMAIL');
    const phones = typedValues('TEL');
    const fullName = [prefix, givenName, additionalNames, familyName, suffix]
      .filter((part) => part !== undefined)
      .join(' ');
    const firstValue = (list: readonly ParsedJson[] | undefined): string | undefined => {
      const value = (list?.[0] as { value?: ParsedJson } | undefined)?.value;
      return typeof value === 'string' ? value : undefined;
    };
    const name = textOf('FN') ?? nonEmptyText(fullName) ?? organization ?? firstValue(emails) ?? firstValue(phones);
    if (name === undefined)
      return sink.addProblem(filePosition, 'this contact has no name, e-mail address or phone number');
    const uid = textOf('UID');
    const birthday = findLine('BDAY');
    const data: ParsedObject = {
      name,
      givenName,
      familyName,
      additionalNames,
      prefix,
      suffix,
      nickname: textOf('NICKNAME'),
      organization,
      department,
      jobTitle: textOf('TITLE') ?? textOf('ROLE'),
      emails,
      phones,
      addresses: nonEmptyList(
        findLines('ADR').flatMap((line) => {
          const [box, extended, street, city, region, postalCode, country] = componentsOf(line.value);
          const fullStreet = [box, extended, street].filter((part) => part !== undefined).join('\n');
          const address = { street: nonEmptyText(fullStreet), city, region, postalCode, country };
          return Object.values(address).every((part) => part === undefined)
            ? []
            : [{ ...address, type: typeOf(line, lines) }];
        }),
      ),
      urls: typedValues('URL'),
      messengers: typedValues('IMPP'),
      birthday: birthday === undefined ? undefined : birthdayOf(birthday),
      anniversary: textOf('ANNIVERSARY') ?? textOf('X-ANNIVERSARY'),
      note: textOf('NOTE'),
      categories: textsOfLists(findLines('CATEGORIES')),
      updated: textOf('REV'),
      uid,
      photo: photoOf(findLine('PHOTO')),
    };
    const identity =
      uid === undefined ? `${name}\n${firstValue(emails) ?? ''}\n${firstValue(phones) ?? ''}` : `uid\n${uid}`;
    sink.addEntry({ kind: 'contacts/people', identity, data }, filePosition);
  };

  const reportTruncated = (): void => {
    if (card !== undefined) sink.addProblem(`line ${card.line}`, 'this contact is incomplete: its END line is missing');
    card = undefined;
  };

  const lines = createContentLineParser({
    // vCard 2.1 often contains unfolded base64: lines without a name, up to an empty line.
    onBrokenLine: (line, problem) => {
      const lastLine = card?.lines.last();
      if (lastLine?.params.has('ENCODING') !== true) sink.addProblem(`line ${line}`, problem);
    },
    onLine(line) {
      const isCard = line.value.trim().toUpperCase() === 'VCARD';
      if (line.name === 'BEGIN' && isCard) {
        // In vCard 2.1, a nested card can follow AGENT. Without AGENT, the previous card was truncated.
        if (card !== undefined && isAfterAgent) depth += 1;
        else {
          reportTruncated();
          depth = 0;
          card = { line: line.line, lines: createEntryLines(MAX_CONTACT_LINES) };
        }
      } else if (line.name === 'END' && isCard) {
        if (depth > 0) depth -= 1;
        else if (card !== undefined) {
          const { line: firstLine, lines: cardLines } = card;
          card = undefined;
          readEntry(sink, `line ${firstLine}`, () => emit(cardLines.all(), `line ${firstLine}`));
        }
      } else if (depth === 0) card?.lines.add(line);
      isAfterAgent = line.name === 'AGENT';
    },
  });

  return {
    push: (chunk) => lines.push(chunk),
    end() {
      lines.end();
      reportTruncated();
    },
  };
};
