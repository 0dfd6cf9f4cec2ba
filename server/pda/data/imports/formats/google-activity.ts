import {
  MAX_ENTRY_SIZE,
  collapseSpaces,
  instantOf,
  isoOf,
  nonEmptyText,
  nonEmptyList,
  type EntrySink,
  type FormatReader,
} from '../parsing/entries.ts';
import { createJsonItemReader } from '../parsing/json-items.ts';
import { createMarkupParser } from '../parsing/markup.ts';
import { fieldsOf, listOf, textIn } from '../parsing/json-fields.ts';
import { parseWrittenTime } from '../parsing/written-times.ts';

/* Reads Google's "My Activity" (searches, watched videos, opened pages). */

type Activity = {
  /** Unix milliseconds; undefined if the time is missing or cannot be parsed. */
  at: number | undefined;
  /** Time as written in the file. Used if it cannot be parsed. */
  writtenTime?: string | undefined;
  product: string | undefined;
  title: string | undefined;
  url?: string | undefined;
  details: readonly string[];
};

const emit = (sink: EntrySink, activity: Activity, filePosition: string): void => {
  const { at, writtenTime, product, title, url, details } = activity;
  if (title === undefined) return sink.addProblem(filePosition, 'this activity has no title');
  if (at === undefined && writtenTime === undefined) return sink.addProblem(filePosition, 'this activity has no time');
  // HTML contains no milliseconds. Without them, an activity has the same identity in JSON and in HTML.
  const wholeSecondMs = at === undefined ? undefined : Math.floor(at / 1000) * 1000;
  const identity = `${product ?? ''}\n${title}\n${wholeSecondMs === undefined ? writtenTime : ''}`;
  const data = {
    time: wholeSecondMs === undefined ? undefined : isoOf(wholeSecondMs),
    writtenTime: wholeSecondMs === undefined ? writtenTime : undefined,
    product,
    title,
    url,
    details: nonEmptyList(details),
  };
  sink.addEntry({ kind: 'google/activity', at: wholeSecondMs, identity, data }, filePosition);
};

const httpUrlOf = (text: string | undefined): string | undefined =>
  text !== undefined && /^https?:\/\//iu.test(text) ? nonEmptyText(text) : undefined;

export const createActivityReader = (sink: EntrySink): FormatReader =>
  createJsonItemReader({
    onBrokenItem: (number, problem) => sink.addProblem(`entry ${number}`, problem),
    onItem(_, value, number) {
      const filePosition = `entry ${number}`;
      if (!sink.beginEntry(filePosition)) return;
      const fields = fieldsOf(value);
      const subtitles = listOf(fields['subtitles']).map((subtitle) => textIn(fieldsOf(subtitle)['name']));
      const activity = {
        at: instantOf(textIn(fields['time']) ?? ''),
        product: textIn(fields['header']) ?? textIn(listOf(fields['products'])[0]),
        // White space is collapsed as in the HTML version, so that an activity has the same title in both.
        title: collapseSpaces(textIn(fields['title'])),
        url: httpUrlOf(textIn(fields['titleUrl'])),
        details: [...subtitles, textIn(fields['description'])].flatMap((detail) => nonEmptyText(detail) ?? []),
      };
      emit(sink, activity, filePosition);
    },
  });

type Cell = {
  number: number;
  header: string;
  lines: string[];
  url: string | undefined;
  size: number;
  section: 'header' | 'content' | undefined;
  /** Number of content cells so far. Only the first contains the activity. */
  contentCells: number;
};

const LINE_BREAKING_TAGS = new Set(['br', 'p', 'div']);
const MAX_LINES = 10_000;
const MAX_TIME_CHARS = 200;

/** Reads the HTML version, which is in the language of the account. */
export const createActivityPageReader = (sink: EntrySink): FormatReader => {
  let number = 0;
  let cell: Cell | undefined;

  const emitCell = (): void => {
    const current = cell;
    cell = undefined;
    if (current === undefined) return;
    const filePosition = `entry ${current.number}`;
    if (current.size > MAX_ENTRY_SIZE || current.lines.length > MAX_LINES)
      return sink.addProblem(filePosition, 'this entry is too large');
    if (!sink.beginEntry(filePosition)) return;
    const lines = current.lines.flatMap((line) => collapseSpaces(line) ?? []);
    // The time is the last line. If it is missing, the last line belongs to the title and details.
    const lastLine = lines.at(-1);
    const at = lastLine === undefined ? undefined : parseWrittenTime(lastLine);
    const isTime =
      at !== undefined ||
      (lastLine !== undefined && lastLine.length <= MAX_TIME_CHARS && /\d{4}.*\d{1,2}[:.]\d{2}/u.test(lastLine));
    const [title, ...details] = isTime ? lines.slice(0, -1) : lines;
    const product = collapseSpaces(current.header);
    const writtenTime = isTime ? lastLine : undefined;
    emit(sink, { at, writtenTime, product, title, url: current.url, details }, filePosition);
  };

  const openDiv = (classes: string): void => {
    if (/\bouter-cell\b/u.test(classes)) {
      emitCell();
      number += 1;
      cell = { number, header: '', lines: [''], url: undefined, size: 0, section: undefined, contentCells: 0 };
    } else if (cell !== undefined && /\bheader-cell\b/u.test(classes)) cell.section = 'header';
    else if (cell !== undefined && /\bcontent-cell\b/u.test(classes)) {
      cell.contentCells += 1;
      cell.section = cell.contentCells === 1 ? 'content' : undefined;
    }
  };

  const addText = (characters: string): void => {
    if (cell === undefined || cell.section === undefined) return;
    cell.size += characters.length;
    if (cell.size > MAX_ENTRY_SIZE) return;
    if (cell.section === 'header') cell.header += characters;
    else cell.lines.push((cell.lines.pop() ?? '') + characters);
  };

  const markup = createMarkupParser(
    { xml: false },
    {
      open(name, attributes) {
        if (cell !== undefined && LINE_BREAKING_TAGS.has(name) && cell.lines.length <= MAX_LINES) cell.lines.push('');
        if (name === 'div') openDiv(attributes['class'] ?? '');
        if (name === 'a' && cell?.section === 'content') cell.url ??= httpUrlOf(attributes['href']);
      },
      text: addText,
      onBrokenTag: (line) => sink.addProblem(`line ${line}`, 'a tag on this line is not closed'),
    },
  );
  return {
    push: (chunk) => markup.push(chunk),
    end() {
      markup.end();
      emitCell();
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
