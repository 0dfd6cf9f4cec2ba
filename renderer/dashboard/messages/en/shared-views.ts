import { count, number } from '../../../shared/format/format.ts';

const VALUES_ONLY = 'The person sees the values of this chart, but no individual records.';

export const sharedViews = {
  menu: 'Share with a person…',
  share: 'Share',
  title: { table: 'Share this table with a person', chart: 'Share this chart with a person' },
  columns: (names: readonly string[]) => `${count(names.length, 'column', 'columns')}: ${names.join(', ')}`,
  allRecords: 'All records, without a filter',
  filtered: (filters: readonly string[]) => `Only records with: ${filters.join('; ')}`,
  search: (text: string) => `the text ${text} in any field`,
  matches: (n: number) =>
    `${n === 1 ? '1 record matches' : `${number(n)} records match`} now. Records that match later are shared, too. Other fields are not.`,
  selected: {
    button: 'Share…',
    title: (n: number) => `Share ${count(n, 'record', 'records')} with a person`,
    tooMany: (max: number) => `Select at most ${number(max)} records to share.`,
    name: (endpoint: string) => `${endpoint} (selection)`,
    records: (n: number, endpoint: string) => `${count(n, 'selected record', 'selected records')} of ${endpoint}`,
    text: 'The person always sees the current content of these records. A record that you delete or move disappears. Other records and fields are not shared.',
    updateText: 'The person sees other records or columns under this name.',
  },
  chartText: {
    time: VALUES_ONLY,
    heat: VALUES_ONLY,
    distribution: VALUES_ONLY,
    values: VALUES_ONLY,
    scatter: 'The person sees both numbers of each record, but no other fields.',
    calendar: 'The person sees the days, start and title of each record, in all months, but no other fields.',
    map: 'The person sees where the records are and how many there are, but no other fields, and cannot zoom in.',
  },
  chartLater: 'Later records of this endpoint are included, too, if they match the settings of the chart.',
  people: 'Shared with',
  nameUntil: (name: string, until: string) => `${name}, until ${until}`,
  noPeople: 'There are no people who can sign in.',
  name: 'Name',
  nameHint: 'The person sees this name.',
  replaces: (person: string) => `Replaces what ${person} sees under this name now.`,
  endChoices: { never: 'When I stop sharing', 1: 'In 1 day', 7: 'In 7 days', 30: 'In 30 days', 365: 'In 1 year' },
  shared: (person: string, name: string) => `${person} can see ${name}`,
  update: 'Update',
  updateLabel: (person: string, name: string) => `Update ${name} for ${person}`,
  updateText: 'You have changed this view since you shared it. The person still sees the earlier one.',
  updated: (person: string, name: string) => `${person} sees ${name} as it is now`,
  stopLabel: (person: string, name: string) => `Stop sharing ${name} with ${person}`,
  stopped: (person: string, name: string) => `${person} can no longer see ${name}`,
  ofPerson: (name: string) => `Tables and charts that ${name} can see`,
  reader: {
    table: (name: string, columns: number) =>
      `can see the table ${name} with ${count(columns, 'column', 'columns')}, including new records`,
    selected: (name: string, records: string, columns: number) =>
      `can see the table ${name}: ${records}, ${count(columns, 'column', 'columns')}`,
    chart: (name: string) => `can see the chart ${name}`,
    title: (person: string, name: string) => `Stop sharing ${name} with ${person}?`,
    text: (person: string) => `${person} can no longer open it. Everything else that you share stays shared.`,
    submit: 'Stop sharing',
  },
};
