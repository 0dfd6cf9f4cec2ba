import { MAX_ENTRY, instantOf, isoOf, orNothing, someOf, type EntrySink, type Reader } from '../parsing/entries.ts';
import { createJsonItems } from '../parsing/json-items.ts';
import { createMarkup } from '../parsing/markup.ts';
import { fieldsOf, listOf, textIn } from '../parsing/json-fields.ts';
import { instantOfWords } from '../parsing/written-times.ts';

/** "My Activity" of Google: what one searched, watched and opened; as JSON, or as HTML in the language of the account. */

type Activity = {
  at: number | undefined;
  /** As it is written, where no instant could be made of it. */
  written?: string | undefined;
  product: string | undefined;
  title: string | undefined;
  url?: string | undefined;
  details: readonly string[];
};

const emit = (found: EntrySink, activity: Activity, where: string): void => {
  const { at, written, product, title, url, details } = activity;
  if (title === undefined) return found.trouble(where, 'this activity says nothing');
  if (at === undefined && written === undefined) return found.trouble(where, 'this activity has no time');
  // HTML knows seconds only: both forms of the same activity are one.
  const second = at === undefined ? undefined : Math.floor(at / 1000) * 1000;
  found.entry(
    {
      kind: 'google/activity',
      at: second,
      identity: `${product ?? ''}\n${title}\n${second === undefined ? written : ''}`,
      data: {
        time: second === undefined ? undefined : isoOf(second),
        writtenTime: second === undefined ? written : undefined,
        product,
        title,
        url,
        details: someOf(details),
      },
    },
    where,
  );
};

const httpUrl = (text: string | undefined): string | undefined =>
  text !== undefined && /^https?:\/\//iu.test(text) ? orNothing(text) : undefined;

export const createActivityReader = (found: EntrySink): Reader =>
  createJsonItems({
    broken: (number, problem) => found.trouble(`entry ${number}`, problem),
    item(_, value, number) {
      const fields = fieldsOf(value);
      const subtitles = listOf(fields['subtitles']).map((one) => textIn(fieldsOf(one)['name']));
      emit(
        found,
        {
          at: instantOf(textIn(fields['time']) ?? ''),
          product: textIn(fields['header']) ?? textIn(listOf(fields['products'])[0]),
          title: plainSpaces(textIn(fields['title'])),
          url: httpUrl(textIn(fields['titleUrl'])),
          details: [...subtitles, textIn(fields['description'])].flatMap((one) => orNothing(one) ?? []),
        },
        `entry ${number}`,
      );
    },
  });

/** One line, with plain spaces, as both forms can be compared. */
const plainSpaces = (text: string | undefined): string | undefined => orNothing(text?.replaceAll(/\s+/gu, ' '));

type Cell = {
  number: number;
  header: string;
  lines: string[];
  url: string | undefined;
  size: number;
  part: 'header' | 'content' | undefined;
  parts: number;
};

const BREAKS = new Set(['br', 'p', 'div']);
/** Lines of one entry. */
const MAX_LINES = 10_000;
/** Characters of a line that says a time. */
const MAX_TIME_CHARS = 200;

export const createActivityPageReader = (found: EntrySink): Reader => {
  let number = 0;
  let cell: Cell | undefined;

  const settle = (): void => {
    const current = cell;
    cell = undefined;
    if (current === undefined) return;
    const where = `entry ${current.number}`;
    if (current.size > MAX_ENTRY || current.lines.length > MAX_LINES)
      return found.trouble(where, 'this entry is too large');
    const lines = current.lines.flatMap((line) => plainSpaces(line) ?? []);
    // The time is the last line of what happened; what is before it are the title and its details.
    const last = lines.at(-1);
    const at = last === undefined ? undefined : instantOfWords(last);
    const isTime =
      at !== undefined ||
      (last !== undefined && last.length <= MAX_TIME_CHARS && /\d{4}.*\d{1,2}[:.]\d{2}/u.test(last));
    const [title, ...details] = isTime ? lines.slice(0, -1) : lines;
    emit(
      found,
      {
        at,
        written: isTime ? last : undefined,
        product: plainSpaces(current.header),
        title,
        url: current.url,
        details,
      },
      where,
    );
  };

  const begin = (classes: string): void => {
    if (/\bouter-cell\b/u.test(classes)) {
      settle();
      number += 1;
      cell = { number, header: '', lines: [''], url: undefined, size: 0, part: undefined, parts: 0 };
    } else if (cell !== undefined && /\bheader-cell\b/u.test(classes)) cell.part = 'header';
    else if (cell !== undefined && /\bcontent-cell\b/u.test(classes)) {
      cell.parts += 1;
      cell.part = cell.parts === 1 ? 'content' : undefined;
    }
  };

  const text = (words: string): void => {
    if (cell === undefined || cell.part === undefined) return;
    cell.size += words.length;
    if (cell.size > MAX_ENTRY) return;
    if (cell.part === 'header') cell.header += words;
    else cell.lines.push((cell.lines.pop() ?? '') + words);
  };

  const markup = createMarkup(
    { xml: false },
    {
      open(name, attributes) {
        if (cell !== undefined && BREAKS.has(name) && cell.lines.length <= MAX_LINES) cell.lines.push('');
        if (name === 'div') begin(attributes['class'] ?? '');
        if (name === 'a' && cell?.part === 'content') cell.url ??= httpUrl(attributes['href']);
      },
      text,
      broken: (line) => found.trouble(`line ${line}`, 'a tag in this line does not end'),
    },
  );
  return {
    push: (piece) => markup.push(piece),
    end() {
      markup.end();
      settle();
    },
  };
};

export const isActivity = (head: string): boolean =>
  /^\s*\[\s*\{/u.test(head) &&
  /"header"\s*:\s*"/u.test(head) &&
  /"time"\s*:\s*"\d{4}-/u.test(head) &&
  /"title"\s*:/u.test(head);
export const isActivityPage = (head: string): boolean =>
  /^\s*<(?:!doctype )?html/iu.test(head) && /mdl-typography|outer-cell/u.test(head);
