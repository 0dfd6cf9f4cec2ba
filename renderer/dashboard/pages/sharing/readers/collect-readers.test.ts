import { describe, expect, it } from 'vitest';
import type { OwnerProfile } from '../../../../../server/wire/profile.ts';
import type { ListedShareLink, OwnerContract, SharedView } from '../../../../shared/api/contract.ts';
import { exampleApplication } from '../../applications/example.test-support.ts';
import { createBundle, createFunction } from '../../functions/example.test-support.ts';
import { exampleConsent } from '../example.test-support.ts';
import { collectReaders, type SharingState } from './collect-readers.ts';
import { groupByRecipient, type ReaderSource, summariseReaders } from './reader.ts';

const NOW = new Date('2026-03-03T12:00:00.000Z');
const GRACE = '00000000-0000-4000-8000-000000000001';

const collect = (state: Partial<SharingState>) =>
  collectReaders(
    {
      debits: [],
      applications: [],
      contracts: [],
      functions: [],
      people: [],
      users: [{ userId: GRACE, name: 'Grace', enabled: true, created: NOW.toISOString() }],
      views: [],
      links: [],
      profile: undefined,
      files: { sources: [{ source: 'photos', files: 4, bytes: 0 }], public: 0 },
      endpoints: [
        { endpoint: 'fitness/steps', records: 10 },
        { endpoint: 'fitness/sleep', records: 5 },
        { endpoint: 'diary/entries', records: 3 },
      ],
      ...state,
    },
    NOW,
  );

const keysOf = (state: Partial<SharingState>): string[] => collect(state).map(({ key }) => key);

/** @param rights rights that replace the defaults */
const readingApplication = (id: string, rights: { read?: string[]; files?: string[]; actsAsOwner?: boolean }) =>
  exampleApplication({
    id,
    name: id,
    item: { setup: true, enabled: true, active: true },
    approved: {
      version: '1.0.0',
      time: NOW.toISOString(),
      rights: {
        read: [],
        write: [],
        files: [],
        proposesDebits: false,
        debits: [],
        actsAsOwner: false,
        other: [],
        ...rights,
      },
      data: null,
    },
  });

const link = (changes: Partial<ListedShareLink>): ListedShareLink => ({
  linkId: 'trip',
  name: 'Trip',
  path: '/share/x',
  files: [{ fileId: 'a', name: 'a.txt' }],
  folder: null,
  collection: null,
  fileCount: 2,
  created: 0,
  expires: null,
  password: false,
  viewOnly: false,
  opensMax: null,
  opens: 0,
  lastOpened: null,
  state: 'active',
  ...changes,
});

const contract = (changes: Partial<OwnerContract>): OwnerContract => ({
  contractId: 'study',
  name: 'study',
  description: '',
  developer: '',
  namespaces: [{ namespace: 'fitness', read: true, write: true }],
  state: 'joined',
  problem: null,
  joined: null,
  lastUsed: null,
  reads: 0,
  writes: 0,
  refused: 0,
  application: 'study',
  ...changes,
});

const view = {
  sharedViewId: 'walks',
  endpoint: 'fitness/steps',
  name: 'Walks',
  userId: GRACE,
  userName: 'Grace',
  definition: {
    kind: 'table',
    selection: { search: '', filters: [], sorts: [], oldestFirst: false },
    columns: [{ path: 'steps', name: 'Steps' }],
  },
  created: 0,
  ends: null,
} satisfies SharedView;

const profile = (changes: Partial<OwnerProfile>): OwnerProfile => ({
  endpoint: 'profile/me',
  recordId: null,
  values: {},
  public: [],
  photo: null,
  notables: 0,
  bundle: false,
  page: null,
  ...changes,
});

const person = { userId: GRACE, name: 'Grace', files: 3, readable: 2, folders: 0, collections: 0 };

describe('readers', () => {
  it('are sorted by how much they can read, with anonymous readers before others that can read as much', () => {
    const state: Partial<SharingState> = {
      applications: [
        readingApplication('walks', { read: ['fitness'], files: ['photos'] }),
        readingApplication('all', { actsAsOwner: true }),
      ],
      debits: [exampleConsent('acme', { days: { endpoints: [{ endpoint: 'diary/entries' }] } })],
      functions: [
        createFunction({
          place: { kind: 'elsewhere', host: 'functions.example' },
          dataBundle: createBundle(undefined, 1),
          approved: null,
        }),
      ],
      people: [person],
      links: [link({})],
      files: { sources: [{ source: 'photos', files: 4, bytes: 0 }], public: 2 },
      views: [view],
    };
    expect(collect(state).map(({ key, maxItems }) => [key, maxItems])).toEqual([
      ['application all', Number.POSITIVE_INFINITY],
      ['application walks', 19],
      ['view walks', 10],
      ['consent acme', 3],
      ['public files', 2],
      ['link trip', 2],
      [`person ${GRACE}`, 2],
      ['function counter', 1],
    ]);
  });

  it('mention the files that an application can read in addition to all records', () => {
    const [reader] = collect({ applications: [readingApplication('all', { actsAsOwner: true, files: ['photos'] })] });
    expect(reader?.accessText).toBe('files of photos and all your records');
  });

  it('list their sources, and state whether they see them entirely or in part', () => {
    const acme = exampleConsent('acme', {
      some: { endpoints: [{ endpoint: 'fitness/steps', mapping: { a: 'a' } }, { endpoint: 'diary/entries' }] },
      all: { endpoints: [{ endpoint: 'fitness/steps' }] },
    });
    const readers = collect({
      applications: [
        readingApplication('walks', { read: ['fitness'], files: ['photos'] }),
        readingApplication('all', { actsAsOwner: true }),
      ],
      contracts: [contract({})],
      debits: [acme],
      people: [{ ...person, readable: 0 }],
      links: [link({})],
      views: [view],
      profile: profile({ public: ['name'], page: '<html>' }),
    });
    const describeSource = ({ kind, id, isEntire }: ReaderSource) => `${kind} ${id} ${isEntire ? 'entire' : 'in part'}`;
    const sourcesByKey = new Map(readers.map(({ key, sources }) => [key, sources.map(describeSource)]));
    expect(Object.fromEntries(sourcesByKey)).toEqual({
      'application all': ['records  entire'],
      'application walks': ['namespace fitness entire', 'files  entire'],
      'contract study': ['namespace fitness entire'],
      'consent acme': ['endpoint fitness/steps entire', 'endpoint diary/entries entire'],
      [`person ${GRACE}`]: ['files  in part'],
      'link trip': ['files  entire'],
      'view walks': ['endpoint fitness/steps in part'],
      profile: ['profile  in part'],
    });
  });

  it('omit expired and used-up links, and count the remaining openings of a limited link', () => {
    const links = [
      link({ opensMax: 5, opens: 4 }),
      link({ linkId: 'old', state: 'expired' }),
      link({ linkId: 'used', state: 'used-up' }),
    ];
    expect(collect({ links }).map(({ key, maxItems }) => [key, maxItems])).toEqual([['link trip', 1]]);
  });

  it('include shared tables only if the person with whom they are shared can sign in', () => {
    expect(keysOf({ views: [view] })).toEqual(['view walks']);
    const users = [{ userId: GRACE, name: 'Grace', enabled: false, created: NOW.toISOString() }];
    expect(keysOf({ views: [view], users })).toEqual([]);
    // Readers stay in the list if the users cannot be loaded.
    expect(keysOf({ views: [view], users: undefined })).toEqual(['view walks']);
  });

  it('describe a table of selected records, count only these, and link to what the guest sees', () => {
    const records = [1, 2].map((n) => `019bc186-de00-7abc-8937-00000000000${n}`);
    const { definition } = view;
    const selectedView = {
      ...view,
      definition: { ...definition, selection: { ...definition.selection, records } },
    };
    const text = 'Can see the table Walks: 2\u00A0selected records of Steps, 1\u00A0column';
    expect(collect({ views: [selectedView] })).toMatchObject([
      { sentence: text, sources: [{ id: 'fitness/steps', extent: text }], maxItems: 2 },
    ]);
    expect(collect({ views: [selectedView] })[0]?.to).toBe(
      `/sharing/guests/${GRACE}?path=${encodeURIComponent('/guest/tables/walks')}`,
    );
    expect(collect({ views: [view] })).toMatchObject([{ sentence: expect.stringContaining('including new records') }]);
  });

  it('include a public profile with a stop action, even if only a bundle makes it public', () => {
    expect(keysOf({ profile: profile({ public: ['email'] }) })).toEqual([]);
    expect(collect({ profile: profile({ public: ['name', 'photo'], page: '<html>' }) })[0]?.maxItems).toBe(2);
    const [reader] = collect({ profile: profile({ bundle: true, page: '<html>' }), people: [person] });
    expect(reader).toMatchObject({
      key: 'profile',
      stop: { access: { kind: 'profile', fields: [], hasBundle: true } },
    });
  });

  it('include a contract instead of an application that can read nothing beyond it', () => {
    const applications = [readingApplication('study', { read: ['fitness'] })];
    const [reader, ...others] = collect({ applications, contracts: [contract({})] });
    expect(reader).toMatchObject({ key: 'contract study', maxItems: 15, kind: 'contract' });
    expect(others).toEqual([]);
    expect(keysOf({ applications, contracts: [contract({ state: 'joining' })] })).toEqual(['contract study']);
    expect(keysOf({ applications, contracts: [contract({ state: 'failed' })] })).toEqual(['application study']);
    const withFiles = [readingApplication('study', { read: ['fitness'], files: ['photos'] })];
    expect(keysOf({ applications: withFiles, contracts: [contract({})] })).toEqual([
      'application study',
      'contract study',
    ]);
    const writingContract = contract({ namespaces: [{ namespace: 'fitness', read: false, write: true }] });
    expect(keysOf({ contracts: [writingContract] })).toEqual([]);
  });

  it('of one recipient are grouped and counted once', () => {
    const consent = exampleConsent('days', { days: { endpoints: [{ endpoint: 'diary/entries' }] } });
    const readers = collect({
      applications: [readingApplication('walks', { read: ['fitness'] })],
      debits: [{ ...consent, debit: { ...consent.debit, requestApplicationId: 'walks', requestClientName: 'walks' } }],
      people: [person],
      views: [view],
      files: { sources: [], public: 1 },
    });
    expect(groupByRecipient(readers).map(({ name, accessTexts, to }) => [name, accessTexts.length, to])).toEqual([
      ['walks', 2, '/sharing'],
      ['Grace', 2, '/sharing'],
      ['Public files', 1, '/files?show=public'],
    ]);
    expect(summariseReaders(readers)).toEqual({ recipientCount: 2, isPublic: true });
  });

  it('are listed even if some queries have not loaded', () => {
    const unloadedState = { debits: undefined, applications: undefined, contracts: undefined, endpoints: undefined };
    expect(keysOf({ ...unloadedState, people: [person] })).toEqual([`person ${GRACE}`]);
  });
});
