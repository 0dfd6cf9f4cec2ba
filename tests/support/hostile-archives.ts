import { buildZip } from './archives.ts';
import { buildHealthExport } from '../samples/importers/samples.ts';

// Exports designed to stall the reader. They also contain valid entries, all of which must be stored.

type HostileEntry = {
  name: string;
  text: string;
  /** True if the entry cannot be stored completely and must be reported. */
  isLost: boolean;
};

/** An entry that must be reported. `covers` returns true if a reported position belongs to the entry. */
type ExpectedLoss = { name: string; covers(position: string): boolean };

export type HostileArchive = {
  fileName: string;
  content: Buffer;
  /** Number of valid entries, all of which must be stored. */
  validCount: number;
  losses: ExpectedLoss[];
  /** Request that starts the import. */
  runRequest: object;
};

const ALL_KINDS_REQUEST = {
  format: 'known',
  kinds: [
    'calendar/events',
    'contacts/people',
    'mail/messages',
    'health/records',
    'health/days',
    'health/ecgs',
    'google/locations',
    'google/activity',
  ],
};

const fill = (unit: string, bytes: number): string => unit.repeat(Math.floor(bytes / unit.length));

/** Alternates valid and hostile entries; the first and the last are valid. */
const interleave = (validEntry: (index: number) => string, hostileEntries: readonly HostileEntry[]): string =>
  [validEntry(0), ...hostileEntries.flatMap(({ text }, index) => [text, validEntry(index + 1)])].join('');

const trailingNumber = (location: string): number => Number(/\d+$/u.exec(location)?.[0]);

const lossesByLine = (content: string, hostileEntries: readonly HostileEntry[]): ExpectedLoss[] => {
  let searchFrom = 0;
  let line = 1;
  const losses: ExpectedLoss[] = [];
  const linesIn = (text: string): number => text.split('\n').length - 1;
  for (const { name, text, isLost } of hostileEntries) {
    const start = content.indexOf(text, searchFrom);
    line += linesIn(content.slice(searchFrom, start));
    const [firstLine, lastLine] = [line, line + linesIn(text)];
    line = lastLine;
    searchFrom = start + text.length;
    const covers = (position: string): boolean =>
      trailingNumber(position) >= firstLine && trailingNumber(position) <= lastLine;
    if (isLost) losses.push({ name, covers });
  }
  return losses;
};

/** Locates losses by entry number. Every second entry is hostile. */
const lossesByEntry = (hostileEntries: readonly HostileEntry[]): ExpectedLoss[] =>
  hostileEntries.flatMap(({ name, isLost }, index) =>
    isLost
      ? [
          {
            name,
            covers: (position: string) => position.includes(', entry ') && trailingNumber(position) === 2 * index + 2,
          },
        ]
      : [],
  );

const archiveOf = (
  fileName: string,
  content: string,
  hostileEntries: readonly HostileEntry[],
  {
    losses = lossesByLine(content, hostileEntries),
    runRequest = ALL_KINDS_REQUEST,
  }: { losses?: ExpectedLoss[]; runRequest?: object } = {},
): HostileArchive => ({
  fileName,
  content: Buffer.from(content),
  validCount: hostileEntries.length + 1,
  losses,
  runRequest,
});

/** Just below the limit for the headers of a message. */
const HEADERS_BYTES = 290_000;

const hostileMails = (bytes: number): HostileEntry[] => {
  const mail = (name: string, headers: string, body: string, isLost = false): HostileEntry => ({
    name,
    text: `From a@example.org Wed Jan 10 08:00:00 2024\nMessage-ID: <${name}@example.org>\nDate: Wed, 10 Jan 2024 09:00:00 +0100\nFrom: a@example.org\n${headers}\n\n${body}\n\n`,
    isLost,
  });
  const htmlMail = (name: string, unit: string): HostileEntry =>
    mail(name, 'Content-Type: text/html', fill(unit, bytes));
  const headerMail = (name: string, field: string, unit: string): HostileEntry =>
    mail(name, `${field}: ${fill(unit, HEADERS_BYTES)}`, 'x');
  const multipart = 'Content-Type: multipart/mixed; boundary=b';
  const encodedMail = (name: string, encoding: string, body: string): HostileEntry =>
    mail(name, `Content-Type: text/plain\nContent-Transfer-Encoding: ${encoding}`, body);
  return [
    htmlMail('unclosed-quotes', '<a href="'),
    htmlMail('unclosed-quotes-in-lines', '<a title=\'"\n'),
    htmlMail('unclosed-elements', '<div><b>'),
    htmlMail('unclosed-comments', '<!--'),
    htmlMail('unclosed-declarations', '<![CDATA[<!x<?'),
    htmlMail('entities', '&amp;&lt;&#x41;&'),
    htmlMail('brackets', '<'),
    mail('one-attribute', 'Content-Type: text/html', `<a ${fill('x=1 ', bytes)}>`),
    mail('large-header', `X-A: ${fill('a', bytes)}`, 'x', true),
    mail('many-headers', fill('X-A: b\n', HEADERS_BYTES).slice(0, -1), 'x'),
    mail('folded-header', `X-A: b\n${fill(' c\n', HEADERS_BYTES).slice(0, -1)}`, 'x'),
    mail('many-parts', multipart, `${'--b\nContent-Type: text/plain\n\nx\n'.repeat(20_000)}--b--`, true),
    mail('parts-below-the-limit', multipart, `${'--b\nContent-Type: text/plain\n\nx\n'.repeat(9_000)}--b--`),
    mail(
      'nested-parts',
      'Content-Type: multipart/mixed; boundary=b0',
      Array.from(
        { length: 2000 },
        (_, index) => `--b${index}\nContent-Type: multipart/mixed; boundary=b${index + 1}\n\n`,
      ).join(''),
      true,
    ),
    mail('nested-messages', 'Content-Type: message/rfc822', 'Content-Type: message/rfc822\n\n'.repeat(2000)),
    encodedMail('long-base64-line', 'base64', fill('QUFB', bytes)),
    encodedMail('short-base64-lines', 'base64', fill('QUFBQUFBQUFBQUFB\n', bytes)),
    encodedMail('invalid-base64', 'base64', fill('=', bytes)),
    encodedMail('soft-line-breaks', 'quoted-printable', fill('=\n', 300_000)),
    encodedMail('invalid-quoted-printable', 'quoted-printable', fill('=', bytes)),
    mail('short-lines', 'Content-Type: text/plain; format=flowed', fill('> \n', bytes), true),
    headerMail('encoded-words', 'Subject', '=?utf-8?B?QUFB?= '),
    headerMail('unclosed-encoded-words', 'Subject', '=?utf-8?Q?'),
    headerMail('encoded-word-without-an-end', 'Subject', '=?utf-8?Q?='),
    headerMail('encoded-marks', 'Subject', '=?'),
    headerMail('comments', 'To', '('),
    headerMail('quotes', 'To', '"'),
    headerMail('brackets-of-addresses', 'To', '<'),
    headerMail('groups', 'To', 'a:'),
    headerMail('groups-that-end', 'To', 'a:b;'),
    headerMail('addresses', 'To', 'a@b,'),
    headerMail('commas', 'To', ','),
    headerMail('at-signs', 'To', '@'),
    headerMail('spaces', 'To', ' \t'),
    headerMail('a-long-date', 'X-Date', '('),
    headerMail('labels', 'X-Gmail-Labels', 'a,'),
    headerMail('references', 'In-Reply-To', '<a@b> '),
    mail(
      'continued-parameters',
      `Content-Type: text/plain${Array.from({ length: 20_000 }, (_, index) => `;\n name*${index}*=a%20`).join('')}`,
      'x',
    ),
    mail('parameters', `Content-Type: text/plain${fill(';a=b', HEADERS_BYTES)}`, 'x'),
    mail('unclosed-parameter', `Content-Type: text/plain; a="${fill('\\"', HEADERS_BYTES)}`, 'x'),
  ];
};

const mailbox = (bytes: number): HostileArchive => {
  const hostileEntries = hostileMails(bytes);
  const validEntry = (index: number): string =>
    `From b@example.org Wed Jan 10 08:00:00 2024\nMessage-ID: <good-${index}@example.org>\nDate: Wed, 10 Jan 2024 09:00:00 +0100\nFrom: b@example.org\nSubject: good\n\nWords.\n\n`;
  return archiveOf('worst.mbox', interleave(validEntry, hostileEntries), hostileEntries);
};

const calendar = (bytes: number): HostileArchive => {
  const event = (name: string, lines: string, isLost = false): HostileEntry => ({
    name,
    text: `BEGIN:VEVENT\nUID:${name}\nDTSTART:20240101T000000Z\nSUMMARY:x\n${lines}\nEND:VEVENT\n`,
    isLost,
  });
  const zone = `BEGIN:VTIMEZONE\nTZID:Worst\n${Array.from(
    { length: 500 },
    (_, index) =>
      `BEGIN:STANDARD\nDTSTART:16011028T03${String(index % 60).padStart(2, '0')}00\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\nTZOFFSETTO:+0100\nEND:STANDARD\n`,
  ).join('')}END:VTIMEZONE\n`;
  const hostileEntries = [
    event('long-lines', `DESCRIPTION:${fill('x', 4_000_000)}\n`.repeat(4), true),
    event('many-lines', fill('X-A:b\n', bytes), true),
    event('parameters', `ATTENDEE${fill(';a', bytes)}:mailto:a@example.org`, true),
    event('values-of-a-parameter', `ATTENDEE;CN=${fill('a,', bytes)}:mailto:a@example.org`, true),
    event('quotes', `ATTENDEE;CN=${fill('"', bytes)}:mailto:a@example.org`),
    event('folds', `DESCRIPTION:x\n${fill(' y\n', bytes).slice(0, -1)}`, true),
    event('empty-folds', `DESCRIPTION:x\n${fill(' \n', bytes).slice(0, -1)}`, true),
    event('soft-line-breaks', `DESCRIPTION;ENCODING=QUOTED-PRINTABLE:x=\n${fill('=\n', bytes).slice(0, -1)}`, true),
    event('categories', `CATEGORIES:${fill(',', bytes)}`, true),
    event('dates', `EXDATE:${fill('20240101,', bytes)}`, true),
    event('dates-of-a-custom-zone', `EXDATE;TZID=Worst:${fill('20240101T000000,', bytes)}`, true),
    event('dates-of-a-standard-zone', `EXDATE;TZID=Europe/Berlin:${fill('20240101T000000,', bytes)}`, true),
    event('invalid-zone', `EXDATE;TZID=${fill('a/', 90)}:20240101T000000`),
    event('attendees', fill('ATTENDEE;CN=a:mailto:a@example.org\n', bytes), true),
    { name: 'nested', text: `${fill('BEGIN:VEVENT\n', 200_000)}END:VEVENT\n`, isLost: true },
  ];
  const validEntry = (index: number): string =>
    `BEGIN:VEVENT\nUID:good-${index}\nDTSTART:20240101T000000Z\nSUMMARY:good\nEND:VEVENT\n`;
  return archiveOf(
    'worst.ics',
    `BEGIN:VCALENDAR\n${zone}${interleave(validEntry, hostileEntries)}END:VCALENDAR\n`,
    hostileEntries,
  );
};

const contacts = (bytes: number): HostileArchive => {
  const card = (name: string, lines: string, isLost = false): HostileEntry => ({
    name,
    text: `BEGIN:VCARD\nVERSION:3.0\nUID:${name}\nFN:x\n${lines}\nEND:VCARD\n`,
    isLost,
  });
  const hostileEntries = [
    card('long-lines', `NOTE:${fill('x', 4_000_000)}\n`.repeat(4), true),
    card('many-lines', fill('X-A:b\n', bytes), true),
    card('labels', fill('item1.EMAIL:a\n', bytes), true),
    card('parameters', `TEL${fill(';a', bytes)}:1`, true),
    card('types', `TEL;TYPE=${fill('a,', bytes)}:1`, true),
    card('quoted-types', `TEL;TYPE="${fill('a,', bytes)}":1`, true),
    card('folds', `NOTE:x\n${fill(' y\n', bytes).slice(0, -1)}`, true),
    card('soft-line-breaks', `NOTE;ENCODING=QUOTED-PRINTABLE:x=\n${fill('=\n', bytes).slice(0, -1)}`, true),
    card('invalid-quoted-printable', `NOTE;ENCODING=QUOTED-PRINTABLE:${fill('=', bytes)}`),
    card('structure', `ADR:${fill(';', bytes)}`, true),
    card('categories', `CATEGORIES:${fill('a,', bytes)}`, true),
    card('escapes', `NOTE:${fill('\\', bytes)}`),
    card('picture', `PHOTO;ENCODING=b:${fill('A', bytes)}`),
    card('invalid-picture', `PHOTO:data:image/png${fill(';', bytes)}`),
    card('nested-cards', fill('AGENT:\nBEGIN:VCARD\n', 200_000), true),
    { name: 'does-not-end', text: fill('BEGIN:VCARD\n', 20_000), isLost: true },
  ];
  const validEntry = (index: number): string => `BEGIN:VCARD\nVERSION:3.0\nUID:good-${index}\nFN:good\nEND:VCARD\n`;
  return archiveOf('worst.vcf', interleave(validEntry, hostileEntries), hostileEntries);
};

/** Just below the limit of one object. */
const OBJECT_BYTES = 1_900_000;

const locations = (bytes: number): HostileArchive => {
  const entry = (name: string, text: string, isLost = true): HostileEntry => ({ name, text: `  ${text},\n`, isLost });
  const hostileEntries = [
    entry('too-large', `{"latitudeE7":1,"a":"${fill('x', 9_000_000)}"}`),
    entry('deep', `{"a":${'['.repeat(OBJECT_BYTES / 2)}${']'.repeat(OBJECT_BYTES / 2)}}`),
    entry('does-not-match', `{"a":${'['.repeat(bytes)}}`),
    entry('arrays', `{"a":[${fill('[],', OBJECT_BYTES)}[]]}`),
    entry('objects', `{"a":[${fill('{},', OBJECT_BYTES)}{}]}`),
    entry('names', `{${Array.from({ length: 150_000 }, (_, index) => `"k${index}":0`).join(',')}}`),
    entry('a-quote', `{"a":"${fill('\\', bytes)}\n}`),
    entry('numbers', `{"latitudeE7":${fill('1', OBJECT_BYTES)}}`),
  ];
  const validEntry = (index: number): string =>
    `  {"timestamp":"2024-01-01T00:00:${String(index).padStart(2, '0')}Z","latitudeE7":1,"longitudeE7":1},\n`;
  const list = interleave(validEntry, hostileEntries).slice(0, -2);
  return archiveOf('Records.json', `{"locations":[\n${list}\n]}`, hostileEntries, {
    losses: lossesByEntry(hostileEntries),
  });
};

const activity = (bytes: number): HostileArchive => {
  const cell = (title: string, time: string): string =>
    `<div class="outer-cell mdl-cell"><div class="header-cell"><p>Search</p></div><div class="content-cell">${title}<br>${time}<br></div></div>\n`;
  const hostileEntries = [
    { name: 'digits', text: cell('x', fill('1', bytes)), isLost: true },
    { name: 'years', text: cell('x', fill('2024 ', bytes)), isLost: true },
    { name: 'breaks', text: cell(fill('<br>', bytes), 'x'), isLost: true },
    { name: 'spaces', text: cell('x', fill(' \n', bytes)), isLost: true },
  ];
  // An unclosed quote extends to the end of the file, so these quotes come last.
  const quotes = `<div class="outer-cell">${fill('<a href="', bytes)}\n`;
  const validEntry = (index: number): string => cell(`good ${index}`, 'Mar 3, 2024, 10:15:20 AM CET');
  const content = `<html><body class="mdl-typography">${interleave(validEntry, hostileEntries)}${quotes}</body></html>`;
  const quotesLoss = { name: 'quotes', covers: (position: string) => position.includes(', line ') };
  return archiveOf('MyActivity.html', content, hostileEntries, {
    losses: [...lossesByEntry(hostileEntries), quotesLoss],
  });
};

const health = (bytes: number): HostileArchive => {
  const record = (name: string, attributes: string, isLost = false): HostileEntry => ({
    name,
    text: `<Record type="HKQuantityTypeIdentifierHeartRate" startDate="2024-03-01 08:00:00 +0100" value="${name}" ${attributes}/>\n`,
    isLost,
  });
  const devices = Array.from({ length: 300 }, (_, index) =>
    record(`device-${index}`, `device="name:${fill('>', 1990)}x"`),
  );
  const hostileEntries = [
    record('long', `sourceName="${fill('x', bytes)}"`, true),
    record('attributes', fill('a="b" ', bytes), true),
    record('no-quote', `sourceName="${fill('x', bytes)}\n`, true),
    ...devices,
    {
      name: 'metadata',
      text: `<Workout workoutActivityType="HKWorkoutActivityTypeRunning" startDate="2024-03-01 08:00:00 +0100">${fill('<MetadataEntry key="a" value="b"/>', bytes)}</Workout>\n`,
      isLost: false,
    },
  ];
  const validEntry = (index: number): string =>
    `<Record type="HKQuantityTypeIdentifierStepCount" startDate="2024-03-01 08:00:00 +0100" value="${index}"/>\n`;
  return archiveOf('export.xml', buildHealthExport([interleave(validEntry, hostileEntries)]), hostileEntries);
};

const electrocardiograms = (bytes: number): HostileArchive => {
  const validRecord = 'Name,A\nDate,2024-03-01 08:00:00 +0100\nRate,512 hertz\n\n1\n2\n';
  const content = buildZip([
    { name: 'electrocardiograms/ecg_2024-03-01.csv', data: validRecord },
    { name: 'electrocardiograms/ecg_2024-03-02.csv', data: `Name,${fill('x', 7_000_000)}\n`.repeat(10) },
    { name: 'electrocardiograms/ecg_2024-03-03.csv', data: `Rate,${fill('1', bytes)}\n`.repeat(4) },
    { name: 'electrocardiograms/ecg_2024-03-04.csv', data: validRecord.replace('03-01', '03-04') },
  ]);
  const losses = ['03-02', '03-03'].map((name) => ({ name, covers: (position: string) => position.includes(name) }));
  return { fileName: 'electrocardiograms.zip', content, validCount: 2, losses, runRequest: ALL_KINDS_REQUEST };
};

/** Just below the limit of one statement row. */
const ROW_BYTES = 190_000;

const statement = (): HostileArchive => {
  const row = (name: string, text: string, isLost: boolean): HostileEntry => ({ name, text: `${text}\n`, isLost });
  const hostileEntries = [
    row('too-long', `01.01.2024;1,00;${fill('x', 9_000_000)}`, true),
    row('cells', `01.01.2024;1,00;${fill(';', ROW_BYTES)}`, false),
    row('no-date', `${fill('1', ROW_BYTES)};1,00;x`, true),
    row('no-amount', `01.01.2024;${fill('(', ROW_BYTES)};x`, true),
    row('quotes', `01.01.2024;1,00;"${fill('""', ROW_BYTES)}"`, false),
    row('late-quotes', `01.01.2024;1,00;x${fill('"', ROW_BYTES)}`, false),
    row('unclosed-quotes', `01.01.2024;1,00;"x\n${`${fill('y', 2_000_000)}\n`.repeat(20)}`, true),
    row('late-quote', `01.01.2024;1,00;${fill(' ', ROW_BYTES)}"`, true),
  ];
  const validEntry = (index: number): string => `01.01.2024;${index},00;good\n`;
  const bank = {
    encoding: 'utf-8',
    separator: ';',
    headerLine: 1,
    decimal: ',',
    dateOrder: 'dmy',
    roles: ['date', 'amount', 'text'],
  };
  return archiveOf('statement.csv', `Datum;Betrag;Text\n${interleave(validEntry, hostileEntries)}`, hostileEntries, {
    runRequest: { format: 'bank', bank },
  });
};

/** Returns one hostile archive per format. @param bytes size of entries whose cost grows with their size */
export const hostileArchives = (bytes: number): HostileArchive[] => [
  mailbox(bytes),
  calendar(bytes),
  contacts(bytes),
  locations(bytes),
  activity(bytes),
  health(bytes),
  electrocardiograms(bytes),
  statement(),
];
