// Hand-made exports that follow the documentation of the services, including the oddities of real exports.

/**
 * Times in a zone with a Windows name and in one that the calendar defines, a folded line, a line without a name, an
 * event without a time, and a truncated event.
 */
export const CALENDAR = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'X-WR-CALNAME:Familie',
  'BEGIN:VTIMEZONE',
  'TZID:Haus Zeit',
  'BEGIN:STANDARD',
  'DTSTART:16011028T030000',
  'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:16010325T020000',
  'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
  'BEGIN:VEVENT',
  'UID:dentist@example.org',
  'DTSTART;TZID=W. Europe Standard Time:20240703T100000',
  'DTEND;TZID=W. Europe Standard Time:20240703T103000',
  'SUMMARY:Zahnarzt\\, Dr. Lind',
  'DESCRIPTION:bring the card\\nand be',
  '  early',
  'ATTENDEE;CN="Lind, Eva";PARTSTAT=ACCEPTED:mailto:eva@example.org',
  'this line has lost its name',
  'BEGIN:VALARM',
  'TRIGGER:-PT15M',
  'DESCRIPTION:not the words of the event',
  'END:VALARM',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:choir@example.org',
  'DTSTART;TZID=Haus Zeit:20240110T193000',
  'DURATION:PT2H',
  'RRULE:FREQ=WEEKLY;BYDAY=WE',
  'EXDATE;TZID=Haus Zeit:20240117T193000',
  'SUMMARY:Chor',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:choir@example.org',
  'RECURRENCE-ID;TZID=Haus Zeit:20240124T193000',
  'DTSTART;TZID=Haus Zeit:20240124T200000',
  'SUMMARY:Chor\\, later',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:birthday@example.org',
  'DTSTART;VALUE=DATE:20240229',
  'SUMMARY:Geburtstag',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'SUMMARY:without a time',
  'END:VEVENT',
  'BEGIN:VTODO',
  'UID:tax@example.org',
  'SUMMARY:Steuer',
  'DUE;VALUE=DATE:20240731',
  'STATUS:NEEDS-ACTION',
  'END:VTODO',
  'BEGIN:VEVENT',
  'UID:cut@example.org',
  'DTSTART:20240801T080000Z',
].join('\r\n');

/** The fold is between the two bytes of "ä". */
export const FOLDED_WITHIN_A_LETTER = Buffer.concat([
  Buffer.from('BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20240101T000000Z\r\nSUMMARY:K'),
  Buffer.from([0xc3]),
  Buffer.from('\r\n '),
  Buffer.from([0xa4]),
  Buffer.from('se\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'),
]);

export const CONTACTS = [
  'BEGIN:VCARD',
  'VERSION:2.1',
  'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=BCrgen',
  'FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=BCrgen M=C3=BC=',
  'ller',
  'TEL;CELL;PREF:+49 151 000000',
  'NOTE;ENCODING=QUOTED-PRINTABLE:line one=0Aline two',
  'END:VCARD',
  'BEGIN:VCARD',
  'VERSION:3.0',
  'UID:ada-3',
  'FN:Ada Example',
  'N:Example;Ada;;Dr.;',
  'ORG:Analytical;Engines',
  'item1.EMAIL;TYPE=INTERNET:ada@example.org',
  'item1.X-ABLabel:_$!<Work>!$_',
  'ADR;TYPE=HOME:;;1 Long Street;London;;W1;United Kingdom',
  'BDAY:--1210',
  'PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQ',
  ' AAAQABAAD/2wBDAA==',
  'END:VCARD',
  'BEGIN:VCARD',
  'VERSION:4.0',
  'UID:urn:uuid:4fbe8971-0bc3-424c-9c26-36c3e1eff6b1',
  'FN:Bo',
  'TEL;VALUE=uri;TYPE="voice,home":tel:+46-8-000',
  'PHOTO:data:image/png;base64,iVBORw0KGgo=',
  'END:VCARD',
  'BEGIN:VCARD',
  'VERSION:3.0',
  'NOTE:nobody',
  'END:VCARD',
  'BEGIN:VCARD',
  'FN:Cut Off',
].join('\r\n');

/**
 * A message with encoded words and a quoted "From" line, an HTML message with an attachment, an invalid message, and a
 * message with the id of the first one.
 */
export const MAILBOX = Buffer.concat([
  Buffer.from(
    [
      'From 1790000000000000001@xxx Wed Jan 10 08:00:00 +0000 2024',
      'Message-ID: <one@example.org>',
      'Date: Wed, 10 Jan 2024 09:00:00 +0100',
      'From: =?ISO-8859-1?Q?J=FCrgen?= <j@example.org>',
      'To: Ada <ada@example.org>, bo@example.org',
      'Subject: =?UTF-8?B?R3LDvMOfZQ==?=',
      'X-Gmail-Labels: Inbox,Important',
      'Content-Type: text/plain; charset=windows-1252',
      'Content-Transfer-Encoding: 8bit',
      '',
      '>From here on it is mine.',
      '',
    ].join('\n'),
  ),
  Buffer.from([0x53, 0x63, 0x68, 0xf6, 0x6e, 0x0a, 0x0a]),
  Buffer.from(
    [
      'From bo@example.org Thu Jan 11 10:00:00 2024',
      'Message-ID: <two@example.org>',
      'Date: Thu, 11 Jan 2024 10:00:00 +0000',
      'From: bo@example.org',
      'To: ada@example.org',
      'Subject: with a file',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary="b"',
      '',
      '--b',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<style>p{}</style><p>Hello&nbsp;<b>Ada</b></p><p>Bye</p>',
      '--b',
      'Content-Type: application/pdf; name="bill.pdf"',
      'Content-Disposition: attachment; filename="bill.pdf"',
      'Content-Transfer-Encoding: base64',
      '',
      'JVBERi0xLjQK',
      '--b--',
      '',
      'From nobody Fri Jan 12 10:00:00 2024',
      'nothing that is a header',
      '',
      'From 1790000000000000001@xxx Wed Jan 10 08:00:00 +0000 2024',
      'Message-ID: <one@example.org>',
      'Date: Wed, 10 Jan 2024 09:00:00 +0100',
      'From: j@example.org',
      'Subject: again',
      '',
      'the same id',
      '',
    ].join('\n'),
  ),
]);

/**
 * Column headings after lines about the account, decimal commas, Latin-1, two equal transactions, a line break within a
 * field, and a total, which is not a transaction.
 */
export const STATEMENT = Buffer.from(
  [
    '"Kontonummer:";"DE02 1203 0000 0000 2020 51 / Girokonto"',
    '',
    '"Kontostand vom 31.03.2024:";"1.234,56 EUR"',
    '"Buchungstag";"Wertstellung";"Buchungstext";"Auftraggeber / Beg\u00fcnstigter";"Verwendungszweck";"Betrag (EUR)";"Gl\u00e4ubiger-ID"',
    '"28.03.2024";"29.03.2024";"Lastschrift";"Stadtwerke M\u00fcnchen";"Abschlag; M\u00e4rz";"-1.084,50";"DE98ZZZ"',
    '"27.03.2024";"27.03.2024";"Kartenzahlung";"Caf\u00e9";"";"-3,20";""',
    '"27.03.2024";"27.03.2024";"Kartenzahlung";"Caf\u00e9";"";"-3,20";""',
    '"01.03.2024";"01.03.2024";"Gutschrift";"Arbeit GmbH";"Gehalt',
    'M\u00e4rz";"2.500,00";""',
    '"Summe";"";"";"";"";"1.409,10";""',
  ].join('\r\n'),
  'latin1',
);
export const STATEMENT_ENGLISH =
  'Date,Description,Money Out,Money In,Balance\n03/25/2024,"Coffee, large",3.20,,"1,096.80"\n03/26/2024,Pay,,"1,000.00","2,096.80"\n';

export const buildHealthExport = (records: readonly string[], { end = '</HealthData>' } = {}): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE HealthData [',
    '<!-- HealthKit Export Version: 14 -->',
    "<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout)*)> <!-- it's not closed as it should be",
    '-->',
    '<!ATTLIST Record type CDATA #REQUIRED unit CDATA #IMPLIED>',
    '<!ENTITY bomb "boom">',
    ']>',
    '<HealthData locale="de_DE">',
    ' <ExportDate value="2024-04-01 10:00:00 +0200"/>',
    ...records,
    end,
  ].join('\n');

export const HEALTH_RECORDS = [
  ' <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Ada\u2019s\u00a0Watch" sourceVersion="10.3" device="&lt;&lt;HKDevice: 0x2811&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2, software:10.3&gt;" unit="count" creationDate="2024-03-01 08:12:33 +0100" startDate="2024-03-01 08:00:00 +0100" endDate="2024-03-01 08:10:00 +0100" value="412"/>',
  ' <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="Phone" startDate="2024-03-01 23:00:00 +0100" endDate="2024-03-02 06:30:00 +0100" value="HKCategoryValueSleepAnalysisAsleepCore">',
  '  <MetadataEntry key="HKTimeZone" value="Europe/Berlin"/>',
  ' </Record>',
  ' <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" value="61',
  ' <Record type="HKQuantityTypeIdentifierBodyMass" sourceName="&bomb;" unit="kg" startDate="no time" value="70"/>',
  ' <Correlation type="HKCorrelationTypeIdentifierBloodPressure" startDate="2024-03-03 09:00:00 +0100">',
  '  <Record type="HKQuantityTypeIdentifierBloodPressureSystolic" sourceName="Cuff" unit="mmHg" startDate="2024-03-03 09:00:00 +0100" endDate="2024-03-03 09:00:00 +0100" value="120"/>',
  ' </Correlation>',
  ' <Record type="HKQuantityTypeIdentifierBloodPressureSystolic" sourceName="Cuff" unit="mmHg" startDate="2024-03-03 09:00:00 +0100" endDate="2024-03-03 09:00:00 +0100" value="120"/>',
  ' <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="31.5" durationUnit="min" sourceName="Watch" startDate="2024-03-02 07:00:00 +0100" endDate="2024-03-02 07:31:30 +0100">',
  '  <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceWalkingRunning" sum="5.2" unit="km"/>',
  ' </Workout>',
  ' <ActivitySummary dateComponents="2024-03-01" activeEnergyBurned="412.5" activeEnergyBurnedGoal="500" activeEnergyBurnedUnit="kcal" appleExerciseTime="31" appleStandHours="11"/>',
];

export const ECG = [
  'Name,"Ada Example"',
  'Geburtsdatum,"10. Dez. 1815"',
  'Aufzeichnungsdatum,2024-03-04 10:00:00 +0100',
  'Klassifizierung,Sinusrhythmus',
  'Symptome,',
  'Softwareversion,"2.0"',
  'Ger\u00e4t,"Watch6,2"',
  'Abtastrate,512 Hertz',
  '',
  '',
  'Ableitung,Ableitung I',
  'Einheit,\u00b5V',
  '',
  '12,5',
  '-3,25',
  '0',
].join('\n');

/** A position in the current notation, one in the older notation with an overflow, and one without coordinates. */
export const LOCATION_RECORDS = JSON.stringify(
  {
    locations: [
      { latitudeE7: 525200066, longitudeE7: 134049540, accuracy: 20, source: 'WIFI', deviceTag: -12, timestamp: '2023-05-01T08:12:33.120Z', activity: [{ activity: [{ type: 'STILL', confidence: 90 }, { type: 'ON_FOOT', confidence: 5 }] }] },
      { timestampMs: '1682929953000', latitudeE7: 525200066 + 2 ** 32, longitudeE7: 134049541, velocity: 2, altitude: 35 },
      { timestamp: '2023-05-01T08:14:00Z', accuracy: 10 },
    ],
  },
  undefined,
  2,
); // prettier-ignore

/** The second entry lacks a quote, the third its closing bracket and brace. */
export const BROKEN_LOCATION_RECORDS = [
  '{',
  '  "locations": [',
  '    {',
  '      "latitudeE7": 525200066, "longitudeE7": 134049540,',
  '      "timestamp": "2023-05-01T08:00:00Z"',
  '    },',
  '    {',
  '      "latitudeE7": 525200066, "longitudeE7": 134049540,',
  '      "source: "WIFI", "timestamp": "2023-05-01T08:01:00Z"',
  '    },',
  '    {',
  '      "latitudeE7": 525200066, "longitudeE7": 134049540,',
  '      "activity": [{ "type": "STILL" }',
  '      , "timestamp": "2023-05-01T08:02:00Z"',
  '    ,',
  '    {',
  '      "latitudeE7": 525200066, "longitudeE7": 134049540,',
  '      "timestamp": "2023-05-01T08:03:00Z"',
  '    }',
  '  ]',
  '}',
].join('\n');

export const SEMANTIC_HISTORY = JSON.stringify({
  timelineObjects: [
    {
      activitySegment: {
        startLocation: { latitudeE7: 525200066, longitudeE7: 134049540 },
        endLocation: { latitudeE7: 525300066, longitudeE7: 134149540 },
        duration: { startTimestamp: '2023-05-01T09:00:00Z', endTimestamp: '2023-05-01T09:20:00Z' },
        distance: 2400,
        activityType: 'IN_BUS',
        simplifiedRawPath: { points: [{ latE7: 525250066, lngE7: 134099540 }] },
      },
    },
    {
      placeVisit: {
        location: { latitudeE7: 525300066, longitudeE7: 134149540, placeId: 'p1', name: 'Library', semanticType: 'TYPE_WORK', locationConfidence: 80 },
        duration: { startTimestampMs: '1682932800000', endTimestampMs: '1682940000000' },
      },
    },
    { placeVisit: { location: {} } },
  ],
}); // prettier-ignore

export const TIMELINE_ANDROID = JSON.stringify({
  semanticSegments: [
    { startTime: '2024-06-01T10:00:00.000+02:00', endTime: '2024-06-01T11:00:00.000+02:00', timelinePath: [{ point: '52.5200066\u00b0, 13.404954\u00b0', time: '2024-06-01T10:05:00.000+02:00' }] },
    { startTime: '2024-06-01T11:00:00.000+02:00', endTime: '2024-06-01T12:00:00.000+02:00', visit: { hierarchyLevel: 0, probability: 0.9, topCandidate: { placeId: 'p2', semanticType: 'HOME', probability: 0.8, placeLocation: { latLng: '52.5\u00b0, 13.4\u00b0' } } } },
    { startTime: '2024-06-01T12:00:00.000+02:00', endTime: '2024-06-01T12:30:00.000+02:00', activity: { start: { latLng: '52.5\u00b0, 13.4\u00b0' }, end: { latLng: '52.6\u00b0, 13.5\u00b0' }, distanceMeters: 900.5, topCandidate: { type: 'WALKING', probability: 0.7 } } },
  ],
  rawSignals: [
    { position: { LatLng: '52.51\u00b0, 13.41\u00b0', accuracyMeters: 12, timestamp: '2024-06-01T10:06:00.000+02:00', source: 'WIFI' } },
    { wifiScan: { deliveryTime: '2024-06-01T10:06:00.000+02:00' } },
  ],
  userLocationProfile: { frequentPlaces: [{ placeId: 'p2' }] },
}); // prettier-ignore

export const TIMELINE_IOS = JSON.stringify([
  { endTime: '2024-06-01T12:00:00.000+02:00', startTime: '2024-06-01T11:00:00.000+02:00', visit: { hierarchyLevel: '0', probability: '0.9', topCandidate: { placeID: 'p2', semanticType: 'Home', placeLocation: 'geo:52.500000,13.400000', probability: '0.8' } } },
  { endTime: '2024-06-01T13:00:00.000+02:00', startTime: '2024-06-01T12:00:00.000+02:00', timelinePath: [{ durationMinutesOffsetFromStartTime: '5', point: 'geo:52.510000,13.410000' }] },
]); // prettier-ignore

export const ACTIVITY_JSON = JSON.stringify([
  { header: 'Search', title: 'Searched for\u00a0tea', titleUrl: 'https://www.google.com/search?q=tea', time: '2024-03-03T09:15:20.512Z', products: ['Search'], subtitles: [{ name: 'from a phone' }] },
  { header: 'Maps', title: 'Used Maps', time: '2024-03-03T10:00:00Z', products: ['Maps'] },
  { header: 'Maps', title: 'no time', products: ['Maps'] },
]); // prettier-ignore

const activityCell = (header: string, content: string): string =>
  `<div class="outer-cell mdl-cell mdl-cell--12-col mdl-shadow--2dp"><div class="mdl-grid"><div class="header-cell mdl-cell mdl-cell--12-col"><p class="mdl-typography--title">${header}<br></p></div><div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1">${content}</div><div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1 mdl-typography--text-right"></div><div class="content-cell mdl-cell mdl-cell--12-col mdl-typography--caption"><b>Products:</b><br>&emsp;${header}<br></div></div></div>`;

/** The first entry is the search of ACTIVITY_JSON, the second is in German, the third has an unknown time zone. */
export const ACTIVITY_HTML = `<html><head><title>My Activity</title><style>.a{content:"<div>"}</style></head><body><div class="mdl-grid">${[
  activityCell(
    'Search',
    'Searched for&nbsp;<a href="https://www.google.com/search?q=tea">tea</a><br>Mar 3, 2024, 10:15:20\u202fAM CET',
  ),
  activityCell(
    'YouTube',
    '<a href="https://www.youtube.com/watch?v=1">Lied &amp; Tanz</a> angesehen<br>Kanal<br>03.03.2024, 20:15:20 MEZ',
  ),
  activityCell('Maps', 'Used Maps<br>3 mars 2024, 10:15:20 XXT'),
].join('')}</div></body></html>`;
