import type { ImportFormat } from '../../../../wire/imports.ts';
import { isUtf8Beginning } from '../parsing/text-lines.ts';

const DELIMITERS = [',', ';', '\t'] as const;
export type Delimiter = (typeof DELIMITERS)[number];
const DELIMITER_NAMES: Readonly<Record<Delimiter, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' };

interface FormatGuess {
  readonly format: ImportFormat | 'unknown';
  /** Reason for the guess, as a sentence for the owner. */
  readonly reason: string;
}

const SAMPLE_LINES = 50;
const JSON_BEGINNING = /^(?:\[\s*(?:$|[[{\]"\d-]|true|false|null)|\{\s*(?:$|["}]))/;

/**
 * Guesses the format of a file from its first bytes (a few thousand suffice) and its name. Clear evidence in the
 * content takes precedence over the file extension.
 */
export function guessFormat(firstBytes: Buffer, fileName: string): FormatGuess {
  const extension = /\.([a-z]+)$/i.exec(fileName)?.[1]?.toLowerCase() ?? '';
  const problem = problemOf(firstBytes);
  if (problem !== undefined) return { format: 'unknown', reason: problem };
  const text = decodeBeginning(firstBytes);
  if (text === '') return { format: 'unknown', reason: 'The file is empty.' };
  const lines = linesOf(text);

  const [first = '', second] = lines;
  const hasTableExtension = extension === 'csv' || extension === 'tsv';
  // In a file with the extension of a table, a column of numbers or quoted words is not NDJSON.
  const areLinesJson = isJson(first) && second !== undefined && startsLikeJson(second);
  if (areLinesJson && (!hasTableExtension || JSON_BEGINNING.test(first))) {
    return { format: 'ndjson', reason: 'Each line is a separate JSON value.' };
  }
  if ((extension === 'ndjson' || extension === 'jsonl') && startsLikeJson(first))
    return { format: 'ndjson', reason: `The name ends in .${extension}, and the lines are JSON.` };
  if (JSON_BEGINNING.test(text)) {
    return {
      format: 'json',
      reason: text.startsWith('[') ? 'It begins like a JSON array.' : 'It begins like a JSON object.',
    };
  }
  if (extension === 'json' && (isJson(text.trim()) || startsLikeJson(first))) {
    return { format: 'json', reason: 'The name ends in .json, and the content begins like a JSON value.' };
  }
  if (hasTableExtension) return { format: 'csv', reason: `The name ends in .${extension}.` };
  const delimiter = detectDelimiter(text);
  if (delimiter !== undefined && lines.length > 1) {
    return { format: 'csv', reason: `The columns are separated by ${DELIMITER_NAMES[delimiter]}.` };
  }
  return { format: 'unknown', reason: 'It is neither JSON, nor NDJSON, nor a table with a header row.' };
}

export function guessDelimiter(firstBytes: Buffer): Delimiter {
  return detectDelimiter(decodeBeginning(firstBytes)) ?? ',';
}

function detectDelimiter(text: string): Delimiter | undefined {
  const lines = linesOf(text);
  // A last line without a line ending may have been truncated by the sample.
  const completeLines = /[\r\n]$/.test(text) ? lines.length : lines.length - 1;
  const sample = lines.slice(0, Math.min(SAMPLE_LINES, Math.max(1, completeLines)));
  let bestMatch: { delimiter: Delimiter; consistentRows: number; count: number } | undefined;
  for (const delimiter of DELIMITERS) {
    const counts = sample.map((line) => countOutsideQuotes(line, delimiter));
    const count = counts[0] ?? 0;
    if (count === 0) continue;
    // A delimiter occurs equally often in every row, unlike a comma within cells.
    const consistentRows = counts.filter((other) => other === count).length;
    if (
      bestMatch === undefined ||
      consistentRows > bestMatch.consistentRows ||
      (consistentRows === bestMatch.consistentRows && count > bestMatch.count)
    )
      bestMatch = { delimiter, consistentRows, count };
  }
  return bestMatch?.delimiter;
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
}

function countOutsideQuotes(line: string, delimiter: Delimiter): number {
  let count = 0;
  let isQuoted = false;
  for (let index = 0; index < line.length; index += 1) {
    if (line[index] === '"') isQuoted = !isQuoted;
    else if (line[index] === delimiter && !isQuoted) count += 1;
  }
  return count;
}

function problemOf(bytes: Buffer): string | undefined {
  const magic = bytes.toString('latin1', 0, 4);
  if (magic.startsWith('PK\u0003\u0004'))
    return 'It is a ZIP archive or an Office document; unpack it or export it as CSV or JSON first.';
  if (magic.startsWith('\u001f\u008b')) return 'It is compressed; unpack it first.';
  if (magic.startsWith('\u00ff\u00fe') || magic.startsWith('\u00fe\u00ff'))
    return 'It is encoded as UTF-16; save it as UTF-8 first.';
  if (bytes.includes(0)) return 'It is not a text file.';
  return isUtf8Beginning(bytes) ? undefined : 'It is not encoded as UTF-8; save it as UTF-8 first.';
}

function decodeBeginning(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).trimStart();
}

function startsLikeJson(line: string): boolean {
  return JSON_BEGINNING.test(line.trim()) || isJson(line);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
