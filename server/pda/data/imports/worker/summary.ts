import type { BankOptions, DetectedExport } from '../../../../wire/imports.ts';
import { KINDS, type EntrySink, type ParsedObject, type Kind } from '../parsing/entries.ts';
import { keyOf, shownName } from './reader.ts';
import { createReader, type ReaderName } from '../formats/registry.ts';
import type { Source } from '../archives/source.ts';
import { walkSources } from '../archives/traversal.ts';

/** A look at what is in an export: how many of each kind, from when to when, and some of them. */

const SAMPLES = 3;
const MAX_TROUBLES = 100;
/** Distinct entries remembered during a preview; beyond that, repeated entries are counted twice. */
const MAX_KNOWN = 200_000;
/** Characters of a text in a sample. */
const MAX_SHOWN = 300;

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

const shortened = (value: unknown): unknown => {
  if (typeof value === 'string')
    return value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN).toWellFormed()}…` : value;
  if (Array.isArray(value)) return value.slice(0, 5).map(shortened);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, one]) => (one === undefined ? [] : [[name, shortened(one)]])),
    );
  return value;
};

const DATES = ['time', 'start', 'date'] as const;
const dateIn = (data: ParsedObject): string | undefined => {
  for (const name of DATES) {
    const value = data[name];
    if (typeof value === 'string') return value.slice(0, 10);
  }
  return undefined;
};

type Seen = { count: number; first: string | null; last: string | null; samples: unknown[] };

/** Raised to leave a file that would take too long. */
class Enough extends Error {}

/** @param forMs how long to count; after that the rest is not looked at, and it is said so */
export const lookAt = async (
  sources: readonly Source[],
  { bank, forMs }: { bank: BankOptions | undefined; forMs: number },
): Promise<DetectedExport> => {
  const until = performance.now() + forMs;
  const kinds = new Map<Kind, Seen>();
  const origins = new Set<DetectedExport['source']>();
  const known = new Set<string>();
  const troubles: DetectedExport['troubles'] = { count: 0, first: [] };
  let leftOut = 0;
  let complete = true;
  let inTakeout = sources.some(({ name }) => /(?:^|\/)takeout-\d{8}T\d{6}Z/iu.test(name));

  const trouble = (place: string, problem: string): void => {
    troubles.count += 1;
    if (troubles.first.length < MAX_TROUBLES) troubles.first.push({ place, problem });
  };

  await walkSources(
    sources,
    {
      passedOver: () => (leftOut += 1),
      goesOn() {
        complete &&= performance.now() <= until;
        return complete;
      },
      broken: ({ name }, problem) => trouble(shownName(name), problem),
      async known({ name, reader, content }) {
        origins.add(SOURCE_OF[reader]);
        inTakeout ||= /\/Takeout\//u.test(name);
        const found: EntrySink = {
          trouble: (place, problem) => trouble(`${shownName(name)}, ${place}`, problem),
          entry(entry) {
            const key = known.size < MAX_KNOWN ? keyOf(entry) : undefined;
            if (key !== undefined && known.has(key)) return;
            if (key !== undefined) known.add(key);
            const seen = kinds.get(entry.kind) ?? { count: 0, first: null, last: null, samples: [] };
            kinds.set(entry.kind, seen);
            seen.count += 1;
            if (seen.samples.length < SAMPLES) seen.samples.push(shortened(entry.data));
            const date = dateIn(entry.data);
            if (date === undefined) return;
            if (seen.first === null || date < seen.first) seen.first = date;
            if (seen.last === null || date > seen.last) seen.last = date;
          },
        };
        const work = createReader(reader, found, bank);
        try {
          for await (const piece of content()) {
            await work.push(piece);
            if (performance.now() > until) throw new Enough();
          }
          // Of what was left in the middle the end says nothing.
          if (complete) await work.end();
        } catch (error) {
          if (!(error instanceof Enough)) throw error;
          complete = false;
        }
      },
    },
    { smallFirst: true, ...(bank === undefined ? {} : { as: 'bank' as const }) },
  );

  const [only] = [...origins];
  const source = inTakeout ? 'google' : origins.size === 1 && only !== undefined ? only : 'mixed';
  return {
    source,
    complete,
    kinds: KINDS.flatMap((endpoint) => {
      const seen = kinds.get(endpoint);
      if (seen === undefined) return [];
      return [{ endpoint, ...seen }];
    }),
    troubles,
    leftOut,
  };
};
