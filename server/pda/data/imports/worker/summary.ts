import type { BankOptions, DetectedExport } from '../../../../wire/imports.ts';
import { ENTRY_KINDS, type EntrySink, type ParsedObject, type EntryKind } from '../parsing/entries.ts';
import { clearPosition, createSharedPosition, trackEntries } from './abandoned-entries.ts';
import type { EntryPosition, SharedPosition } from './messages.ts';
import { entryKeyOf, displayNameOfMember } from './reader.ts';
import { createReader, type ReaderName } from '../formats/registry.ts';
import type { Source } from '../archives/source.ts';
import { traverseSources } from '../archives/traversal.ts';

const MAX_SAMPLES = 3;
const MAX_SAMPLE_ITEMS = 5;
/** Further problems are only counted. */
const MAX_LISTED_PROBLEMS = 100;
/** Maximum distinct entries whose keys are stored. Beyond this number, a repeated entry is counted again. */
const MAX_DISTINCT_ENTRIES = 200_000;
const MAX_SAMPLE_CHARS = 300;

const SOURCE_OF: Readonly<Record<ReaderName, DetectedExport['source']>> = {
  calendar: 'calendar',
  contacts: 'contacts',
  mailbox: 'mail',
  message: 'mail',
  health: 'apple-health',
  ecg: 'apple-health',
  places: 'google',
  activity: 'google',
  activityPage: 'google',
  bank: 'bank',
};

/** Shortens strings and lists, and drops undefined members. */
const shorten = (value: unknown): unknown => {
  if (typeof value === 'string')
    return value.length > MAX_SAMPLE_CHARS ? `${value.slice(0, MAX_SAMPLE_CHARS).toWellFormed()}…` : value;
  if (Array.isArray(value)) return value.slice(0, MAX_SAMPLE_ITEMS).map(shorten);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, shorten(member)]])),
    );
  return value;
};

const dateIn = ({ time, start, date }: ParsedObject): string | undefined =>
  [time, start, date].find((value) => typeof value === 'string')?.slice(0, 10);

type KindSummary = { count: number; first: string | null; last: string | null; samples: unknown[] };

/** @param options.maxMs time after which reading stops and the summary is marked as incomplete */
export const summariseExport = async (
  sources: readonly Source[],
  options: {
    bank: BankOptions | undefined;
    maxMs: number;
    abandoned?: readonly EntryPosition[];
    position?: SharedPosition;
  },
): Promise<DetectedExport> => {
  const { bank, maxMs, abandoned = [], position = createSharedPosition() } = options;
  const deadline = performance.now() + maxMs;
  const kinds = new Map<EntryKind, KindSummary>();
  const detectedSources = new Set<DetectedExport['source']>();
  const keys = new Set<string>();
  const problems: DetectedExport['problems'] = { count: 0, first: [] };
  let skippedFiles = 0;
  let isComplete = true;
  let isTakeout = sources.some(({ name }) => /(?:^|\/)takeout-\d{8}T\d{6}Z/iu.test(name));

  const addProblem = (position: string, problem: string): void => {
    problems.count += 1;
    if (problems.first.length < MAX_LISTED_PROBLEMS) problems.first.push({ position, problem });
  };

  await traverseSources(
    sources,
    {
      skipFile: () => (skippedFiles += 1),
      shouldContinue() {
        isComplete &&= performance.now() <= deadline;
        return isComplete;
      },
      reportBroken: ({ name }, problem) => addProblem(displayNameOfMember(name), problem),
      async readFile({ source, member, name, reader, content }) {
        detectedSources.add(SOURCE_OF[reader]);
        isTakeout ||= /\/Takeout\//u.test(name);
        const sink: Omit<EntrySink, 'beginEntry'> = {
          addProblem: (filePosition, problem) => addProblem(`${displayNameOfMember(name)}, ${filePosition}`, problem),
          addEntry(entry) {
            const key = keys.size < MAX_DISTINCT_ENTRIES ? entryKeyOf(entry) : undefined;
            if (key !== undefined && keys.has(key)) return;
            if (key !== undefined) keys.add(key);
            const summary = kinds.get(entry.kind) ?? { count: 0, first: null, last: null, samples: [] };
            kinds.set(entry.kind, summary);
            summary.count += 1;
            if (summary.samples.length < MAX_SAMPLES) summary.samples.push(shorten(entry.data));
            const date = dateIn(entry.data);
            if (date === undefined) return;
            if (summary.first === null || date < summary.first) summary.first = date;
            if (summary.last === null || date > summary.last) summary.last = date;
          },
        };
        const trackedSink = trackEntries(sink, { source, member }, { position, abandoned });
        const formatReader = createReader(reader, trackedSink, bank);
        for await (const chunk of content()) {
          await formatReader.push(chunk);
          clearPosition(position);
          isComplete &&= performance.now() <= deadline;
          if (!isComplete) break;
        }
        // If the file was not read completely, the reader would report false problems at its end.
        if (isComplete) await formatReader.end();
        clearPosition(position);
      },
    },
    { smallestFirst: true, ...(bank === undefined ? {} : { chosenReader: 'bank' as const }) },
  );

  const [firstSource] = [...detectedSources];
  const source = isTakeout ? 'google' : detectedSources.size === 1 && firstSource !== undefined ? firstSource : 'mixed';
  return {
    source,
    complete: isComplete,
    kinds: ENTRY_KINDS.flatMap((endpoint) => {
      const summary = kinds.get(endpoint);
      return summary === undefined ? [] : [{ endpoint, ...summary }];
    }),
    problems,
    leftOut: skippedFiles,
  };
};
