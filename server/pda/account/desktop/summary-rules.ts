import {
  MAX_NOTIFICATION_BODY_CHARS,
  MAX_NOTIFICATION_TITLE_CHARS,
  type DesktopSummary,
} from '../../../wire/desktop.ts';
import { isolateText } from '../../../wire/isolation.ts';
import type { Language } from '../../../wire/language.ts';
import type { WeeklySummary } from '../../../wire/weekly-summary.ts';
import { sanitise, truncate } from './notification-text.ts';
import { SUMMARY_TEXTS } from './summary-texts.ts';

const MAX_NAMED_READERS = 2;
const MAX_NAME_CHARS = 40;

const FILES_PREFIX = 'files:';

const shortenName = (name: string): string => isolateText(truncate(sanitise(name), MAX_NAME_CHARS));

/** Describes the summary of a week in a notification. @param endpointNameOf returns the display name of an endpoint */
export const describeSummary = (
  summary: WeeklySummary,
  endpointNameOf: (endpoint: string) => string,
  language: Language = 'en',
): DesktopSummary => {
  const texts = SUMMARY_TEXTS[language];
  const { readers, moreReaders, news, ending, moreEnding, from, to } = summary;
  const sentences: string[] = [];
  for (const { who, name, records, endpoints, requests, refused } of readers.slice(0, MAX_NAMED_READERS)) {
    const label = shortenName(name ?? who.name);
    const reader = label === '' ? texts.readers[who.kind] : label;
    const isFileSource = (endpoint: string): boolean => endpoint.startsWith(FILES_PREFIX);
    const hasOnlyFiles = endpoints.length > 0 && endpoints.every(isFileSource);
    // A reader of records and files is described as a reader of records.
    const largestSource = endpoints.find((endpoint) => isFileSource(endpoint) === hasOnlyFiles) ?? '';
    const sourceName = shortenName(
      hasOnlyFiles
        ? largestSource.slice(FILES_PREFIX.length)
        : largestSource === ''
          ? ''
          : endpointNameOf(largestSource),
    );
    const hasOtherSources = endpoints.length > 1;
    if (requests === refused) sentences.push(texts.refused(reader, refused));
    else if (hasOnlyFiles) sentences.push(texts.opened(reader, records, sourceName, hasOtherSources));
    else sentences.push(texts.read(reader, records, sourceName, hasOtherSources));
  }
  const otherReaders = readers.length - Math.min(readers.length, MAX_NAMED_READERS) + moreReaders;
  if (otherReaders > 0) sentences.push(texts.moreReaders(otherReaders));
  if (readers.length === 0) sentences.push(texts.onlyYou);
  if (news.length > 0) sentences.push(texts.news);
  const [first] = ending;
  if (first !== undefined)
    sentences.push(
      texts.ending(texts.endingItems[first.kind](shortenName(first.name)), ending.length - 1 + moreEnding),
    );
  return {
    id: `week ${from}`,
    title: truncate(texts.title(from, to), MAX_NOTIFICATION_TITLE_CHARS),
    body: truncate(sentences.join(' '), MAX_NOTIFICATION_BODY_CHARS),
  };
};
