import { count, number } from '../../../shared/format/format.ts';
import { list } from '../../../shared/messages/en/consent.ts';

const records = (n: number) => count(n, 'record', 'records');
const matches = (n: number) => count(n, 'match', 'matches');

export const timeline = {
  pageTitle: 'Timeline',
  lead: 'Your records, pictures, imports, function runs and decisions, day by day.',
  empty: {
    title: 'Nothing in your timeline yet',
    text: 'Records, pictures in Files, imports, results of functions and your decisions appear on their day. Import data, or turn on a function that creates entries.',
    functions: 'Open Functions',
    filteredTitle: 'No matching entries',
    filteredText: 'The selected source has no entries with a time.',
    noMatches: 'No record matches this search.',
    noneOfNewest: 'None of the newest matches is in this source. Older matches were not checked.',
    clear: 'Clear filters',
  },
  filter: {
    label: 'Filter',
    search: 'Search records',
    source: 'Source',
    all: 'All sources',
    day: 'Go to day',
    clearDay: 'Clear date',
    option: (name: string, endpoint: string) => `${name} (${endpoint})`,
  },
  months: 'Months',
  year: 'Year',
  kinds: { pictures: 'Pictures', imports: 'Imports', decisions: 'Decisions', runs: 'Function runs' },
  groups: {
    records: (name: string, n: number) => `${name}: ${number(n)}`,
    stored: (name: string, n: number) => `${name}: ${number(n)} stored`,
    pictures: (n: number) => count(n, 'picture', 'pictures'),
    imports: (n: number) => count(n, 'import', 'imports'),
    decisions: (n: number) => count(n, 'decision', 'decisions'),
    runs: (n: number) => count(n, 'function run', 'function runs'),
  },
  moreGroups: (n: number) => `${number(n)} more`,
  moreOfDay: 'Earlier on this day',
  allRecords: 'All records of this source',
  detail: (name: string, value: string) => `${name}: ${value}`,
  imported: (n: number) => `${records(n)} added`,
  importUpdated: (n: number) => `${records(n)} updated`,
  importFailed: 'failed',
  importUndone: 'undone',
  runStored: (n: number) => `${records(n)} stored`,
  runFailed: 'failed',
  excluded: (n: number) =>
    n === 1
      ? `${records(n)} of this source is not shown, because it is too large, has no valid time, or is beyond the maximum number of days.`
      : `${records(n)} of this source are not shown, because they are too large, have no valid time, or are beyond the maximum number of days.`,
  leftOut: (n: number, names: readonly string[]) =>
    `${count(n, 'source is', 'sources are')} beyond the limits of the timeline: ${names.length < n ? `${names.join(', ')} …` : list(names)}.`,
  counting: 'The latest changes to a large source appear within a minute.',
  earlier: (n: number) => `${count(n, 'earlier entry is', 'earlier entries are')} not shown.`,
  matches: (n: number) => `Only the ${number(n)} most recently stored matches are shown.`,
  undated: (n: number) =>
    n === 1
      ? `${matches(n)} is not shown, because it is too large or has no valid time.`
      : `${matches(n)} are not shown, because they are too large or have no valid time.`,
  incomplete: 'Some records are not in the search index yet.',
  searchOff: 'The search index is turned off, so records cannot be searched.',
  tomorrow: 'Tomorrow',
  upcoming: (day: string) => `${day}, upcoming`,
  open: 'Open record',
  openLabel: (what: string) => `Open record: ${what}`,
  untitled: 'Entry',
  pictures: (n: number) => (n === 1 ? 'Show the picture' : `Show the ${number(n)} pictures`),
  picturesHint: 'Your PDA loads pictures from their source',
  picture: (position: number) => `Picture ${number(position)}`,
  dayPictures: (n: number) => count(n, 'picture', 'pictures'),
  openPicture: (name: string) => `Open picture: ${name}`,
  morePictures: (n: number) => `${number(n)} more in the gallery`,
  map: 'Map of these entries',
  near: (cities: readonly string[]) => `Near ${list(cities)}`,
  more: 'Show more',
  moreItems: (n: number) => `and ${number(n)} more`,
  end: 'Start of the timeline.',
} as const;
