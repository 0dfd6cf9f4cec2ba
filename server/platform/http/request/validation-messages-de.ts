import type { z } from 'zod';

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'eine gültige ID',
  url: 'eine vollständige Webadresse wie https://example.org',
  email: 'eine vollständige E-Mail-Adresse wie name@example.org',
  datetime: 'ein Datum mit Uhrzeit wie 2026-03-01T12:00:00Z',
  date: 'ein Datum wie 2026-03-01',
  time: 'eine Uhrzeit wie 12:00',
  base64: 'base64',
  base64url: 'base64url',
  jwt: 'ein Token',
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'ein Text',
  number: 'eine Zahl',
  int: 'eine ganze Zahl',
  boolean: 'true oder false',
  array: 'eine Liste',
  object: 'ein Objekt',
  record: 'ein Objekt',
  null: 'null',
};

const UNITS: Readonly<Record<string, readonly [singular: string, plural: string]>> = {
  string: ['Zeichen', 'Zeichen'],
  array: ['Eintrag', 'Einträge'],
  set: ['Eintrag', 'Einträge'],
  map: ['Eintrag', 'Einträge'],
  file: ['Byte', 'Bytes'],
};

/** Translations of custom messages of schemas that the dashboard can display. */
const OWN_MESSAGES: Readonly<Record<string, string>> = {
  'use at most 62 lower-case letters, digits and hyphens, with no hyphen at either end':
    'darf höchstens 62 Kleinbuchstaben, Ziffern und Bindestriche haben, ohne Bindestrich am Anfang und Ende',
  'use one line, without control characters or characters that change the text direction':
    'muss eine Zeile sein, ohne Steuerzeichen und Zeichen, die die Textrichtung ändern',
  'use no control characters and no characters that change the text direction':
    'darf keine Steuerzeichen haben und keine Zeichen, die die Textrichtung ändern',
  'use letters, digits and - . _ ~ /, without empty or dot segments':
    'darf nur Buchstaben, Ziffern und - . _ ~ / haben, ohne leere Teile und ohne . oder ..',
  'use letters, digits and - . _ ~': 'darf nur Buchstaben, Ziffern und - . _ ~ haben',
  'must be <namespace>/<endpoint>, with letters, digits and - . _ ~':
    'muss <Namensraum>/<Endpunkt> sein, mit Buchstaben, Ziffern und - . _ ~',
  'must be an http or https address': 'muss eine Adresse mit http oder https sein',
  'must be at least one second': 'muss mindestens eine Sekunde sein',
  'use letters, digits and . _ -': 'darf nur Buchstaben, Ziffern und . _ - haben',
  'must be one line of text': 'muss eine Zeile Text sein',
  'must not contain NUL or unpaired surrogates':
    'darf kein NUL und keine halben Zeichen (einzelne Surrogate) enthalten',
  'must be an endpoint other than `from`': 'muss ein anderer Endpunkt als `from` sein',
  'use visible characters only': 'darf nur sichtbare Zeichen haben',
  'must contain a letter or digit': 'muss einen Buchstaben oder eine Ziffer enthalten',
  'must contain a visible character': 'muss ein sichtbares Zeichen enthalten',
  'is required': 'fehlt',
};

const formatLimit = (limit: number | bigint, origin: string): string => {
  const unit = UNITS[origin];
  return unit === undefined ? String(limit) : `${limit} ${Number(limit) === 1 ? unit[0] : unit[1]}`;
};

export const describeIssueInGerman = (issue: z.core.$ZodRawIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'fehlt' : `muss ${TYPES[issue.expected] ?? issue.expected} sein`;
    case 'invalid_format':
      if (issue.format === 'starts_with') return `muss mit ${JSON.stringify(issue['prefix'])} beginnen`;
      if (issue.format === 'ends_with') return `muss mit ${JSON.stringify(issue['suffix'])} enden`;
      return FORMATS[issue.format] === undefined
        ? 'hat nicht das richtige Format'
        : `muss ${FORMATS[issue.format]} sein`;
    case 'invalid_value': {
      const values = issue.values.map((value) => JSON.stringify(value) ?? String(value));
      return values.length === 1 ? `muss ${values[0]} sein` : `muss eines davon sein: ${values.join(', ')}`;
    }
    case 'too_big': {
      const limit = formatLimit(issue.maximum, issue.origin);
      if (issue.exact === true) return `muss genau ${limit} haben`;
      if (UNITS[issue.origin] !== undefined) return `darf höchstens ${limit} haben`;
      return issue.inclusive === false ? `muss weniger als ${limit} sein` : `darf höchstens ${limit} sein`;
    }
    case 'too_small': {
      if (issue.input === '') return 'ist leer';
      const limit = formatLimit(issue.minimum, issue.origin);
      if (issue.exact === true) return `muss genau ${limit} haben`;
      if (UNITS[issue.origin] !== undefined) return `muss mindestens ${limit} haben`;
      return issue.inclusive === false ? `muss mehr als ${limit} sein` : `muss mindestens ${limit} sein`;
    }
    case 'not_multiple_of':
      return `muss ein Vielfaches von ${issue.divisor} sein`;
    case 'unrecognized_keys':
      return `hat die ${issue.keys.length === 1 ? 'unbekannte Eigenschaft' : 'unbekannten Eigenschaften'} ${issue.keys
        .map((key) => JSON.stringify(key))
        .join(', ')}`;
    default:
      return 'ist nicht gültig';
  }
};

export const translateMessage = (message: string): string | undefined =>
  Object.hasOwn(OWN_MESSAGES, message) ? OWN_MESSAGES[message] : undefined;
