import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { anApplication } from '../../tests/support/applications.ts';
import { buildApplication } from '../exchange/applications/application.test-support.ts';
import { newOffer } from '../exchange/offers/offers.test-support.ts';
import { aProposal } from '../pda/sharing/debits/harness.test-support.ts';
import { applicationSchema, publishedApplicationSchema } from './applications.ts';
import { newDataPlugSchema } from './data-plugs.ts';
import { debitProposalSchema } from './debits.ts';
import { applicationPropertiesSchema, newApplicationPropertiesSchema } from './exchange.ts';
import { fileChangeSchema, fileUploadSchema } from './files.ts';
import { functionResponseSchema, publishedFunctionSchema } from './functions.ts';
import { newOfferSchema } from './offers.ts';
import { newUserSchema } from './users.ts';

const range = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));

const BIDI_CONTROLS = ['\u061C', '\u200E', '\u200F', ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)];
const LINE_BREAKS_AND_TAB = ['\n', '\r', '\t'];
const CONTROLS = [...range(0x00, 0x1f), ...range(0x7f, 0x9f)].filter(
  (character) => !LINE_BREAKS_AND_TAB.includes(character),
);
const NEVER_ALLOWED = [...BIDI_CONTROLS, ...CONTROLS, '\u2028', '\u2029', '\uD800'];

const formatCodePoint = (character: string): string =>
  `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;

/** Returns a copy in which the text at `path` is replaced. */
const withText = (value: object, path: string, text: string): object => {
  const copy = structuredClone(value) as Record<string, unknown>;
  const names = path.split('/');
  const lastName = names.pop() ?? '';
  let target = copy;
  for (const name of names) target = (target[name] ??= {}) as Record<string, unknown>;
  target[lastName] = text;
  return copy;
};

const APPLICATION = {
  ...anApplication({ data: ['fitness/steps'], roles: [{ role: 'x' }], dependencies: { plugs: ['x'] } }),
  developer: { id: 'acme', name: 'Acme' },
};
const FUNCTION = {
  id: 'steps',
  info: { version: '1.0.0', name: 'Steps', headline: 'Counts', description: { text: 'Counts steps.' } },
  developer: { id: 'acme', name: 'Acme' },
  trigger: { triggerType: 'manual' },
  dataBundle: { steps: { endpoints: [{ endpoint: 'fitness/steps' }] } },
};
const PROPERTIES = {
  title: 'Notes',
  namespace: 'notes',
  description: 'Keeps notes.',
  logoUrl: '',
  url: 'https://notes.example.com/',
  authUrl: '',
  browser: true,
  category: 'Writing',
  setup: true,
  loginAvailable: true,
};
const PLUG = {
  name: 'Plug',
  description: 'Brings data.',
  url: 'https://plug.example.com/',
  illustrationUrl: 'https://plug.example.com/logo.png',
  passwordHash: `$2b$10$${'a'.repeat(53)}`,
  approved: true,
  owner: 'acme',
};
const FILE = { name: 'a.txt', source: 'notes', tags: ['x'] };
const USER = { name: 'Grace', password: 'a long password 1' };

type Case = { subject: string; schema: z.ZodType; value: object; lines?: string[]; paragraphs?: string[] };
const CASES: Case[] = [
  {
    subject: 'a Data Debit proposal',
    schema: debitProposalSchema,
    value: aProposal('lunch'),
    lines: ['requestClientName', 'requestApplicationId', 'bundle/bundle/events/endpoints/0/mapping/name'],
    paragraphs: ['purpose', 'requestDescription'],
  },
  {
    subject: 'a published application',
    schema: publishedApplicationSchema,
    value: APPLICATION,
    lines: ['info/name', 'info/headline', 'info/supportContact', 'developer/name', 'permissions/rolesGranted/0/detail'],
    paragraphs: ['info/description/text', 'info/description/html', 'info/dataUsePurpose', 'info/unknown/member'],
  },
  {
    subject: 'the response of a function',
    schema: functionResponseSchema,
    value: FUNCTION,
    lines: ['info/name', 'info/headline', 'developer/name'],
    paragraphs: ['info/description/text', 'info/description/markdown'],
  },
  {
    subject: 'application properties',
    schema: newApplicationPropertiesSchema,
    value: PROPERTIES,
    lines: ['title', 'category'],
    paragraphs: ['description'],
  },
  {
    subject: 'an Offer',
    schema: newOfferSchema,
    value: newOffer('walks'),
    lines: ['title', 'requiredData/bundle/steps/endpoints/0/mapping/n'],
    paragraphs: ['description'],
  },
  { subject: 'a Data Plug', schema: newDataPlugSchema, value: PLUG, paragraphs: ['description'] },
  { subject: 'a file', schema: fileUploadSchema, value: FILE, lines: ['title', 'tags/0'], paragraphs: ['description'] },
  { subject: 'a changed file', schema: fileChangeSchema, value: {}, lines: ['title'], paragraphs: ['description'] },
  { subject: 'a user', schema: newUserSchema, value: USER, lines: ['name'] },
];

describe.each(CASES)('the input schema of $subject', ({ schema, value, lines = [], paragraphs = [] }) => {
  const problemsWith = (path: string, text: string): string[] =>
    (schema.safeParse(withText(value, path, text)).error?.issues ?? []).map((issue) => issue.path.join('/'));
  const texts = [...lines, ...paragraphs];

  it('accepts plain texts, including right-to-left texts and, except in user names, joiners', () => {
    for (const path of texts)
      expect(problemsWith(path, 'مرحبا, שלום, a b, 👩‍🚀'), path).toStrictEqual(
        // Joiners are invisible, and user names have no invisible characters.
        schema === newUserSchema ? [path] : [],
      );
    expect(schema.safeParse(value).error).toBeUndefined();
  });

  it('refuses every bidirectional control, control character and separator, and names the field', () => {
    for (const path of texts)
      for (const character of NEVER_ALLOWED)
        expect(problemsWith(path, `a${character}b`), `${path} with ${formatCodePoint(character)}`).toContain(path);
  });

  it('allows line breaks and tabs in paragraphs only', () => {
    for (const character of LINE_BREAKS_AND_TAB) {
      for (const path of lines) expect(problemsWith(path, `a${character}b`), path).toContain(path);
      for (const path of paragraphs) expect(problemsWith(path, `a${character}b`), path).toStrictEqual([]);
    }
  });
});

describe('the check of names of fields and properties in a bundle', () => {
  it.each(BIDI_CONTROLS.map((character) => [formatCodePoint(character), character]))('refuses %s', (_, character) => {
    const endpoints = [{ endpoint: 'calendar/events', mapping: { [`na${character}me`]: 'name' } }];
    const bundle = { name: 'x', bundle: { events: { endpoints } } };
    expect(debitProposalSchema.safeParse(aProposal('lunch', { bundle })).success).toBe(false);
    expect(newOfferSchema.safeParse(newOffer('walks', { requiredData: bundle })).success).toBe(false);
    const permissions = { rolesGranted: [], dataRetrieved: bundle };
    expect(publishedApplicationSchema.safeParse({ ...APPLICATION, permissions }).success).toBe(false);
    const property = {
      name: 'x',
      bundle: { [`ev${character}ents`]: { endpoints: [{ endpoint: 'calendar/events' }] } },
    };
    expect(debitProposalSchema.safeParse(aProposal('lunch', { bundle: property })).success).toBe(false);
  });

  it('ignores filter values, which are compared with stored data', () => {
    const filters = [{ field: 'name', operator: { operator: 'contains' as const, value: 'a\u200Fb' } }];
    const bundle = { name: 'x', bundle: { events: { endpoints: [{ endpoint: 'calendar/events', filters }] } } };
    expect(debitProposalSchema.safeParse(aProposal('lunch', { bundle })).error).toBeUndefined();
  });
});

describe('schemas of stored data', () => {
  it('accept texts that were stored before such characters were refused', () => {
    const unsafeApplication = withText(buildApplication('walk'), 'info/name', 'Walk \u202Edrow');
    expect(applicationSchema.safeParse(unsafeApplication).error).toBeUndefined();
    expect(publishedFunctionSchema.safeParse(withText(FUNCTION, 'info/name', 'Steps \u202E')).error).toBeUndefined();
    expect(applicationPropertiesSchema.safeParse({ ...PROPERTIES, title: 'No\u202Etes' }).error).toBeUndefined();
  });
});
