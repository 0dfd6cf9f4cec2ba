import { describe, expect, it } from 'vitest';
import { detectReader } from '../server/pda/data/imports/formats/registry.ts';
import { MAX_TEXT_CHARS } from '../server/pda/data/imports/parsing/entries.ts';
import * as samples from './samples/importers/samples.ts';
import { dataOf, parseInput, readInChunks } from './support/parse-export.ts';

describe('calendars', () => {
  it('yield events and tasks with times as instants, whatever their zone; broken entries are reported', async () => {
    const result = await parseInput(samples.CALENDAR, 'calendar');
    const events = dataOf(result, 'calendar/events');
    expect(events).toMatchObject([
      {
        uid: 'dentist@example.org',
        title: 'Zahnarzt, Dr. Lind',
        start: '2024-07-03T08:00:00Z',
        end: '2024-07-03T08:30:00Z',
        description: 'bring the card\nand be early',
        attendees: [{ name: 'Lind, Eva', address: 'eva@example.org', answer: 'accepted' }],
        calendar: 'Familie',
      },
      {
        start: '2024-01-10T18:30:00Z',
        recurrence: 'FREQ=WEEKLY;BYDAY=WE',
        excludedDates: ['2024-01-17T18:30:00Z'],
        duration: 'PT2H',
      },
      { recurrenceId: '2024-01-24T18:30:00Z', start: '2024-01-24T19:00:00Z' },
      { start: '2024-02-29', allDay: true },
    ]);
    expect(dataOf(result, 'calendar/tasks')).toMatchObject([
      { title: 'Steuer', due: '2024-07-31', status: 'needs-action' },
    ]);
    expect(result.problems.map(([position]) => position)).toEqual(['line 27', 'line 52', 'line 61']);
    expect(new Set(result.entries.map(({ identity }) => identity)).size).toBe(5);
  });

  it('keep a progress of 0 percent, and yield no position if a coordinate is missing', async () => {
    const entryOf = (name: string, ...lines: string[]): string[] => [`BEGIN:${name}`, ...lines, `END:${name}`];
    const calendar = entryOf(
      'VCALENDAR',
      ...entryOf('VEVENT', 'SUMMARY:a', 'DTSTART:20240301T080000Z', 'GEO:52.5;13.4'),
      ...entryOf('VEVENT', 'SUMMARY:b', 'DTSTART:20240301T080000Z', 'GEO:;'),
      ...entryOf('VEVENT', 'SUMMARY:c', 'DTSTART:20240301T080000Z', 'GEO:52.5;'),
      ...entryOf('VTODO', 'SUMMARY:d', 'PERCENT-COMPLETE:0'),
    );
    const result = await parseInput(calendar.join('\r\n'), 'calendar');
    expect(dataOf(result, 'calendar/events')).toEqual([
      { title: 'a', start: '2024-03-01T08:00:00Z', latitude: 52.5, longitude: 13.4 },
      { title: 'b', start: '2024-03-01T08:00:00Z' },
      { title: 'c', start: '2024-03-01T08:00:00Z' },
    ]);
    expect(dataOf(result, 'calendar/tasks')).toEqual([{ title: 'd', percent: 0 }]);
  });

  it('find the time zone that a file defines, even if its name contains commas', async () => {
    const rule = 'DTSTART:19700101T000000\r\nTZOFFSETFROM:+0500\r\nTZOFFSETTO:+0500';
    const zone = `TZID:(UTC+05:00) Here\\, There\r\nBEGIN:STANDARD\r\n${rule}\r\nEND:STANDARD`;
    const event = 'SUMMARY:a\r\nDTSTART;TZID="(UTC+05:00) Here, There":20240301T080000';
    const calendar = [
      'BEGIN:VCALENDAR',
      `BEGIN:VTIMEZONE\r\n${zone}\r\nEND:VTIMEZONE`,
      `BEGIN:VEVENT\r\n${event}\r\nEND:VEVENT`,
      'END:VCALENDAR',
    ];
    expect(dataOf(await parseInput(calendar.join('\r\n'), 'calendar'))).toMatchObject([
      { title: 'a', start: '2024-03-01T03:00:00Z' },
    ]);
  });

  it('and contacts have their non-empty categories, truncated like other texts', async () => {
    const longCategory = 'x'.repeat(MAX_TEXT_CHARS + 1);
    const lines = (list: string): string => `CATEGORIES:${list}\r\nCATEGORIES: Sport \\, indoors ,,${longCategory}\r\n`;
    const event = (list: string): string => `BEGIN:VEVENT\r\nUID:1\r\nDTSTART:20240101\r\n${list}END:VEVENT\r\n`;
    const calendar = `BEGIN:VCALENDAR\r\n${event(lines('Work,'))}${event('CATEGORIES:\r\n')}END:VCALENDAR\r\n`;
    const card = `BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\n${lines('Work,')}END:VCARD\r\n`;
    const categories = ['Work', 'Sport , indoors', longCategory.slice(1)];
    const events = await readInChunks(100_000, 'calendar', Buffer.from(calendar));
    expect(dataOf(events)).toMatchObject([{ categories }, {}]);
    expect(dataOf(events)[1]).not.toHaveProperty('categories');
    expect(dataOf(await readInChunks(100_000, 'contacts', Buffer.from(card)))).toMatchObject([{ categories }]);
  });

  it('are read with a line fold inside a multi-byte character, and in UTF-16', async () => {
    expect(dataOf(await parseInput(samples.FOLDED_WITHIN_A_LETTER, 'calendar'))).toMatchObject([
      { title: 'K\u00e4se' },
    ]);
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(samples.CALENDAR, 'utf16le')]);
    expect(dataOf(await readInChunks(9999, 'calendar', utf16))).toHaveLength(5);
    expect(detectReader('x', utf16)).toBe('calendar');
  });
});

describe('contacts', () => {
  it('yield names, numbers, addresses and pictures from vCards of all versions', async () => {
    const result = await parseInput(samples.CONTACTS, 'contacts');
    expect(dataOf(result)).toEqual([
      expect.objectContaining({
        name: 'J\u00fcrgen M\u00fcller',
        familyName: 'M\u00fcller',
        phones: [{ value: '+49 151 000000', type: 'cell' }],
        note: 'line one\nline two',
      }),
      expect.objectContaining({
        uid: 'ada-3',
        prefix: 'Dr.',
        organization: 'Analytical',
        department: 'Engines',
        emails: [{ value: 'ada@example.org', type: 'work' }],
        addresses: [
          { street: '1 Long Street', city: 'London', postalCode: 'W1', country: 'United Kingdom', type: 'home' },
        ],
        birthday: '--12-10',
        photo: { contentType: 'image/jpeg', bytes: 25, base64: '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA==' },
      }),
      expect.objectContaining({
        name: 'Bo',
        phones: [{ value: '+46-8-000', type: 'home' }],
        photo: { contentType: 'image/png', bytes: 8, base64: 'iVBORw0KGgo=' },
      }),
    ]);
    expect(result.problems).toEqual([
      ['line 29', 'this contact has no name, e-mail address or phone number'],
      ['line 33', 'this contact is incomplete: its END line is missing'],
    ]);
  });

  it('have birthdays without a year as Apple writes them', async () => {
    const card = (name: string, birthday: string): string =>
      `BEGIN:VCARD\r\nVERSION:3.0\r\nFN:${name}\r\n${birthday}\r\nEND:VCARD`;
    const cards = [card('a', 'BDAY;X-APPLE-OMIT-YEAR=1604:1604-03-05'), card('b', 'BDAY:1604-03-05')];
    expect(dataOf(await parseInput(cards.join('\r\n'), 'contacts'))).toMatchObject([
      { name: 'a', birthday: '--03-05' },
      { name: 'b', birthday: '1604-03-05' },
    ]);
  });

  it('are read after a contact with an unterminated nested card', async () => {
    const truncatedCard = 'BEGIN:VCARD\nFN:Ada\nAGENT:\nBEGIN:VCARD\nFN:Bo\nEND:VCARD\n';
    const result = await parseInput(
      `${truncatedCard}BEGIN:VCARD\nFN:Cy\nEND:VCARD\nBEGIN:VCARD\nFN:Di\nEND:VCARD\n`,
      'contacts',
    );
    expect(dataOf(result)).toMatchObject([{ name: 'Cy' }, { name: 'Di' }]);
    expect(result.problems).toEqual([['line 1', 'this contact is incomplete: its END line is missing']]);
  });
});

describe('a mailbox', () => {
  it('yields the text of each message and the names of its attachments', async () => {
    const result = await parseInput(samples.MAILBOX, 'mailbox');
    expect(dataOf(result)).toMatchObject([
      {
        messageId: '<one@example.org>',
        date: '2024-01-10T08:00:00Z',
        from: { name: 'J\u00fcrgen', address: 'j@example.org' },
        to: [{ name: 'Ada', address: 'ada@example.org' }, { address: 'bo@example.org' }],
        subject: 'Gr\u00fc\u00dfe',
        text: 'From here on it is mine.\nSch\u00f6n',
        labels: ['Inbox', 'Important'],
      },
      { text: 'Hello Ada\n\nBye', attachments: [{ name: 'bill.pdf', contentType: 'application/pdf', bytes: 9 }] },
      { messageId: '<one@example.org>', subject: 'again' },
    ]);
    expect(result.problems).toHaveLength(1);
    expect(result.entries[0]?.identity).toBe(result.entries[2]?.identity);
  });

  it('yields labels in any language', async () => {
    const message = [
      'From 1@xxx Mon Mar 04 10:00:00 +0000 2024',
      'X-Gmail-Labels: =?UTF-8?Q?Posteingang,Ge=C3=B6ffnet,W?=',
      ' =?UTF-8?Q?ichtig?=',
      'From: ada@example.org',
      '',
      'text',
    ].join('\r\n');
    expect(dataOf(await parseInput(message, 'mailbox'))).toMatchObject([
      { labels: ['Posteingang', 'Ge\u00f6ffnet', 'Wichtig'] },
    ]);
  });

  it('yields every message with Windows line endings', async () => {
    const windowsMailbox = Buffer.from(samples.MAILBOX.toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
    expect(dataOf(await parseInput(windowsMailbox, 'mailbox'))).toHaveLength(3);
  });
});

describe('an Apple Health export', () => {
  it('yields records, workouts and days after an unusual document type declaration', async () => {
    const result = await parseInput(samples.buildHealthExport(samples.HEALTH_RECORDS), 'health');
    expect(dataOf(result, 'health/records')).toEqual([
      {
        type: 'StepCount',
        start: '2024-03-01T07:00:00Z',
        end: '2024-03-01T07:10:00Z',
        created: '2024-03-01T07:12:33Z',
        value: 412,
        unit: 'count',
        source: 'Ada\u2019s Watch',
        sourceVersion: '10.3',
        device: 'Apple Watch (Watch6,2)',
      },
      expect.objectContaining({
        type: 'SleepAnalysis',
        value: 'SleepAnalysisAsleepCore',
        metadata: { HKTimeZone: 'Europe/Berlin' },
      }),
      expect.objectContaining({ type: 'BloodPressureSystolic', value: 120 }),
    ]);
    expect(dataOf(result, 'health/workouts')).toMatchObject([
      {
        activity: 'Running',
        duration: { value: 31.5, unit: 'min' },
        statistics: [{ type: 'DistanceWalkingRunning', sum: 5.2, unit: 'km' }],
      },
    ]);
    expect(dataOf(result, 'health/days')).toEqual([
      {
        date: '2024-03-01',
        activeEnergy: 412.5,
        activeEnergyGoal: 500,
        energyUnit: 'kcal',
        exerciseMinutes: 31,
        standHours: 11,
      },
    ]);
    expect(result.problems).toEqual([
      ['line 15', 'this entry is not valid XML'],
      ['line 16', 'this record has no type or no time'],
    ]);
  });

  it('yields workouts without the metadata and statistics of their parts', async () => {
    const statistics = (sum: number): string =>
      `<WorkoutStatistics type="HKQuantityTypeIdentifierStepCount" sum="${sum}"/>`;
    const metadata = (value: string): string => `<MetadataEntry key="HKMetadataKeySyncIdentifier" value="${value}"/>`;
    const workout = `<Workout workoutActivityType="HKWorkoutActivityTypeRunning" startDate="2024-03-01 08:00:00 +0000">
      ${metadata('workout')}
      <WorkoutRoute>${metadata('route')}<FileReference path="/route.gpx"/></WorkoutRoute>
      <WorkoutActivity>${statistics(5)}${metadata('activity')}</WorkoutActivity>
      ${statistics(10)}
    </Workout>`;
    const result = await parseInput(samples.buildHealthExport([workout]), 'health');
    expect(dataOf(result, 'health/workouts')).toMatchObject([
      { metadata: { SyncIdentifier: 'workout' }, statistics: [{ type: 'StepCount', sum: 10 }] },
    ]);
  });

  it('yields the same instants in a different time zone', async () => {
    const parseInZone = (zone: string, hour: string) =>
      parseInput(
        samples.buildHealthExport([
          ` <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Watch" startDate="2024-03-01 ${hour}:00:00 ${zone}" endDate="2024-03-01 ${hour}:10:00 ${zone}" value="412"/>`,
          ` <Workout workoutActivityType="HKWorkoutActivityTypeRunning" startDate="2024-03-02 ${hour}:00:00 ${zone}" endDate="2024-03-02 ${hour}:30:00 ${zone}"/>`,
        ]),
        'health',
      );
    const result = await parseInZone('+0100', '08');
    expect(result.entries).toHaveLength(2);
    expect(await parseInZone('-0500', '02')).toEqual(result);
  });

  it('yields its complete entries if truncated, and is reported', async () => {
    const healthXml = samples.buildHealthExport(samples.HEALTH_RECORDS.slice(0, 1), { end: ' <Record type="HKQ' });
    const result = await parseInput(healthXml, 'health');
    expect(result.entries).toHaveLength(1);
    expect(result.problems.at(-1)?.[1]).toContain('incomplete');
  });

  it('yields electrocardiograms in the language of the phone', async () => {
    const result = await parseInput(samples.ECG, 'ecg', 'apple_health_export/electrocardiograms/ecg_2024-03-04.csv');
    expect(dataOf(result)).toEqual([
      {
        start: '2024-03-04T09:00:00Z',
        classification: 'Sinusrhythmus',
        samplesPerSecond: 512,
        device: 'Watch6,2',
        microvolts: [12.5, -3.25, 0],
      },
    ]);
  });
});

describe('Google Takeout', () => {
  it('yields the positions of Records.json in both notations', async () => {
    const result = await parseInput(samples.LOCATION_RECORDS, 'places');
    expect(dataOf(result)).toEqual([
      {
        time: '2023-05-01T08:12:33.120Z',
        latitude: 52.5200066,
        longitude: 13.404954,
        accuracy: 20,
        activity: 'still',
        source: 'wifi',
        device: '-12',
      },
      { time: '2023-05-01T08:32:33Z', latitude: 52.5200066, longitude: 13.4049541, speed: 2, altitude: 35 },
    ]);
    expect(result.problems).toEqual([['entry 3', 'this location has no time or no position']]);
  });

  it('yields the entries after broken ones', async () => {
    const result = await parseInput(samples.BROKEN_LOCATION_RECORDS, 'places');
    expect(result.entries.map(({ at }) => new Date(at ?? 0).getUTCMinutes())).toEqual([0, 3]);
    expect(result.problems).toEqual([
      ['entry 2', 'this entry is not valid JSON'],
      ['entry 3', 'this entry is incomplete'],
    ]);
  });

  it('yields the entries after an unmatched bracket, which is reported once per entry', async () => {
    const location = (minute: number): string =>
      JSON.stringify({ timestamp: `2023-05-01T08:0${minute}:00Z`, latitudeE7: 525_200_066, longitudeE7: 134_049_540 });
    const content = `{"locations":[${location(0)}]],${location(1)},${location(2)}],\n${location(3)}\n],"settings":{"a":[]}}`;
    const result = await parseInput(content, 'places');
    expect(result.entries.map(({ at }) => new Date(at ?? 0).getUTCMinutes())).toEqual([0, 1, 2, 3]);
    expect(result.problems).toEqual([
      ['entry 1', 'the list ends after this entry, but the file continues'],
      ['entry 3', 'the list ends after this entry, but the file continues'],
    ]);
  });

  it('reports what follows the end of a list', async () => {
    const activity = (title: string): string => JSON.stringify({ header: 'Maps', title, time: '2024-03-03T10:00:00Z' });
    const titlesAndProblems = async (content: string): Promise<unknown[]> => {
      const result = await parseInput(content, 'activity');
      return [result.entries.map(({ data }) => data['title']), result.problems];
    };
    const problem = ['entry 1', 'the list ends after this entry, but the file continues'];
    expect(await titlesAndProblems(`[\n  ${activity('a')}\n]\n`)).toEqual([['a'], []]);
    expect(await titlesAndProblems(`[\n  ${activity('a')}],\n  ${activity('b')}\n]`)).toEqual([['a', 'b'], [problem]]);
    for (const trailingText of ['}', ']', '"b"', ', 5', 'null null'])
      expect(await titlesAndProblems(`[${activity('a')}] ${trailingText}`), trailingText).toEqual([['a'], [problem]]);
  });

  it('yields no entries from a list with an unknown name', async () => {
    const location = { timestamp: '2023-05-01T08:12:33Z', latitudeE7: 525_200_066, longitudeE7: 134_049_540 };
    const content = `{"locations":[${JSON.stringify(location)}],"__proto__":[{"a":1}],"constructor":[{"a":1}]}`;
    const result = await parseInput(content, 'places');
    expect(dataOf(result)).toHaveLength(1);
    expect(result.problems).toEqual([]);
  });

  it('yields visits and trips from the monthly files and both timeline formats', async () => {
    const monthlyResult = await parseInput(samples.SEMANTIC_HISTORY, 'places');
    expect(dataOf(monthlyResult)).toMatchObject([
      { start: '2023-05-01T09:00:00Z', distance: 2400, mode: 'in bus', path: [{ latitude: 52.5250066 }] },
      {
        start: '2023-05-01T09:20:00Z',
        end: '2023-05-01T11:20:00Z',
        name: 'Library',
        meaning: 'work',
        probability: 0.8,
      },
    ]);
    expect(monthlyResult.problems).toHaveLength(1);
    const androidResult = await parseInput(samples.TIMELINE_ANDROID, 'places');
    expect(dataOf(androidResult)).toEqual([
      { time: '2024-06-01T08:05:00Z', latitude: 52.5200066, longitude: 13.404954 },
      expect.objectContaining({ start: '2024-06-01T09:00:00Z', placeId: 'p2', meaning: 'home', latitude: 52.5 }),
      expect.objectContaining({ from: { latitude: 52.5, longitude: 13.4 }, distance: 900.5, mode: 'walking' }),
      { time: '2024-06-01T08:06:00Z', latitude: 52.51, longitude: 13.41, accuracy: 12, source: 'wifi' },
    ]);
    const iosResult = await parseInput(samples.TIMELINE_IOS, 'places');
    expect(dataOf(iosResult)).toMatchObject([
      { start: '2024-06-01T09:00:00Z', placeId: 'p2', meaning: 'home', probability: 0.9 },
      { time: '2024-06-01T10:05:00Z', latitude: 52.51 },
    ]);
    expect(iosResult.entries[0]?.identity).toBe(androidResult.entries[1]?.identity);
  });

  it('yields activity from JSON and from a page, with the same identity for the same entry', async () => {
    const jsonResult = await parseInput(samples.ACTIVITY_JSON, 'activity');
    const pageResult = await parseInput(samples.ACTIVITY_HTML, 'activityPage');
    const tea = {
      time: '2024-03-03T09:15:20Z',
      product: 'Search',
      title: 'Searched for tea',
      url: 'https://www.google.com/search?q=tea',
    };
    expect(dataOf(jsonResult)).toEqual([
      { ...tea, details: ['from a phone'] },
      { time: '2024-03-03T10:00:00Z', product: 'Maps', title: 'Used Maps' },
    ]);
    expect(jsonResult.problems).toEqual([['entry 3', 'this activity has no time']]);
    expect(dataOf(pageResult)).toEqual([
      tea,
      {
        time: '2024-03-03T19:15:20Z',
        product: 'YouTube',
        title: 'Lied & Tanz angesehen',
        url: 'https://www.youtube.com/watch?v=1',
        details: ['Kanal'],
      },
      { writtenTime: '3 mars 2024, 10:15:20 XXT', product: 'Maps', title: 'Used Maps' },
    ]);
    expect(pageResult.entries[0]).toMatchObject({
      at: jsonResult.entries[0]?.at,
      identity: jsonResult.entries[0]?.identity,
    });
  });
});
