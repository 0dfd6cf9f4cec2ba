import {
  MAX_NOTIFICATION_BODY_CHARS,
  MAX_NOTIFICATION_TITLE_CHARS,
  type DesktopSummary,
} from '../../../wire/desktop.ts';
import { isolateText } from '../../../wire/isolation.ts';
import type { Language } from '../../../wire/language.ts';
import type { WeeklySummary } from '../../../wire/weekly-summary.ts';
import { sanitize, truncate } from './notification-text.ts';
import { SUMMARY_TEXTS } from './summary-texts.ts';

const MAX_NAMED_READERS = 2;
const MAX_NAME_CHARS = 40;

const shortName = (name: string): string => isolateText(truncate(sanitize(name), MAX_NAME_CHARS));

/** Describes the last week as a notification: who read what, what is new, and what ends soon. */
export const describeSummary = (summary: WeeklySummary, language: Language = 'en'): DesktopSummary => {
  const texts = SUMMARY_TEXTS[language];
  const { readers, moreReaders, news, ending, from, to } = summary;
  const sentences: string[] = [];
  for (const { who, name, records, requests, refused } of readers.slice(0, MAX_NAMED_READERS)) {
    const label = shortName(name ?? who.name);
    const reader = label === '' ? texts.readers[who.kind] : label;
    sentences.push(requests === refused ? texts.refused(reader, refused) : texts.read(reader, records));
  }
  const more = readers.length - Math.min(readers.length, MAX_NAMED_READERS) + moreReaders;
  if (more > 0) sentences.push(texts.moreReaders(more));
  if (readers.length === 0) sentences.push(texts.onlyYou);
  if (news.length > 0) sentences.push(texts.news(news.length));
  const [first] = ending;
  if (first !== undefined) sentences.push(texts.ending(shortName(first.name), ending.length - 1));
  return {
    id: `week ${from}`,
    title: truncate(texts.title(from, to), MAX_NOTIFICATION_TITLE_CHARS),
    body: truncate(sentences.join(' '), MAX_NOTIFICATION_BODY_CHARS),
  };
};
