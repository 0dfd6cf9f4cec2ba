import { expect } from 'vitest';
import { createReader, detectReader, type ReaderName } from '../../server/pda/data/imports/formats/registry.ts';
import type { ParsedEntry } from '../../server/pda/data/imports/parsing/entries.ts';
import type { BankOptions } from '../../server/wire/imports.ts';

type ParsedResult = { entries: ParsedEntry[]; problems: [position: string, problem: string][] };

export const readInChunks = async (
  chunkBytes: number,
  reader: ReaderName,
  content: Buffer,
  bank?: BankOptions,
): Promise<ParsedResult> => {
  const result: ParsedResult = { entries: [], problems: [] };
  const sink = {
    beginEntry: () => true,
    addEntry: (entry: ParsedEntry) => void result.entries.push(entry),
    addProblem: (position: string, problem: string) => void result.problems.push([position, problem]),
  };
  const streamReader = createReader(reader, sink, bank);
  for (let offset = 0; offset < content.length; offset += chunkBytes)
    await streamReader.push(content.subarray(offset, offset + chunkBytes));
  await streamReader.end();
  // Removes undefined members, as storing does.
  result.entries = JSON.parse(JSON.stringify(result.entries)) as ParsedEntry[];
  return result;
};

/**
 * Reads a file in chunks of different sizes, which must not affect the result.
 * @param reader must be the reader that is detected; with `bank`, it is used without detection
 */
export const parseInput = async (
  input: Buffer | string,
  reader: ReaderName,
  name = 'file',
  bank?: BankOptions,
): Promise<ParsedResult> => {
  const content = Buffer.from(input);
  if (bank === undefined) expect(detectReader(name, content.subarray(0, 16_384))).toBe(reader);
  const completeResult = await readInChunks(content.length, reader, content, bank);
  for (const bytes of [1, 7, 1000]) expect(await readInChunks(bytes, reader, content, bank)).toEqual(completeResult);
  return completeResult;
};
export const dataOf = ({ entries }: ParsedResult, kind?: string): unknown[] =>
  entries.filter((entry) => kind === undefined || entry.kind === kind).map(({ data }) => data);
