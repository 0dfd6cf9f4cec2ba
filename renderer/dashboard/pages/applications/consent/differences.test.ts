import { describe, expect, it } from 'vitest';
import type { ApplicationRights, NamedBundle, OwnerApplication, Permission } from '../../../../shared/api/contract.ts';
import { countAdditions, findApplicationChanges, isUnchanged, withTermDifferences } from './differences.ts';
import { exampleApplication } from '../example.test-support.ts';
import { describeRights, summariseRights } from './rights.ts';

const rights = (changes: Partial<ApplicationRights>): ApplicationRights => ({
  read: [],
  write: [],
  files: [],
  proposesDebits: false,
  debits: [],
  actsAsOwner: false,
  other: [],
  ...changes,
});

const steps = (mapping: Record<string, string> | null): NamedBundle => ({
  name: 'acme',
  bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps', ...(mapping === null ? {} : { mapping }) }] } },
});

const updatedApplication = (
  approvedRights: Partial<ApplicationRights>,
  requestedRights: Partial<ApplicationRights>,
  data: { approved?: NamedBundle; requested?: NamedBundle } = {},
): OwnerApplication => ({
  ...exampleApplication({ asks: rights(requestedRights), asksData: data.requested ?? null }),
  approved: {
    version: '1.0.0',
    time: '2026-03-03T12:00:00.000Z',
    rights: rights(approvedRights),
    data: data.approved ?? null,
  },
});

const changesOf = (...args: Parameters<typeof updatedApplication>) => {
  const changes = findApplicationChanges(updatedApplication(...args));
  if (changes === undefined) throw new Error('expected an approved application');
  return {
    more: changes.more.map(({ term }) => term),
    less: changes.less.map(({ term }) => term),
    data: changes.data.map(({ kind, text }) => `${kind}: ${text}`),
    same: isUnchanged(changes),
    additions: countAdditions(changes),
  };
};

describe('findApplicationChanges', () => {
  it('lists added and removed rights and omits unchanged ones', () => {
    expect(
      changesOf({ read: ['fitness', 'notes'], write: ['acme'] }, { read: ['fitness', 'health'], files: ['photos'] }),
    ).toMatchObject({
      more: ['namespaceread health', 'managefiles photos'],
      less: ['namespaceread notes', 'namespacewrite acme'],
      additions: 2,
    });
  });

  it('reports no change when the request equals the approval', () => {
    const data = steps({ date: 'data.date' });
    expect(changesOf({ read: ['fitness'] }, { read: ['fitness'] }, { approved: data, requested: data })).toMatchObject({
      same: true,
      additions: 0,
    });
  });

  it('omits rights that the role `owner` implies', () => {
    expect(
      changesOf({ actsAsOwner: true }, { actsAsOwner: true, read: ['health'], proposesDebits: true, files: ['photos'] })
        .more,
    ).toEqual(['managefiles photos']);
    expect(changesOf({ read: ['health'] }, { actsAsOwner: true }).more).toEqual(['owner']);
  });

  it('lists only new fields of shared data', () => {
    const { data, additions } = changesOf(
      {},
      {},
      { approved: steps({ date: 'data.date' }), requested: steps({ date: 'data.date', place: 'data.place' }) },
    );
    expect(data).toHaveLength(1);
    expect(data[0]).toMatch(/^more: .*Place/);
    expect(data[0]).not.toContain('Date');
    expect(additions).toBe(1);
  });

  it('reports that entire records are requested instead of single fields', () => {
    expect(changesOf({}, {}, { approved: steps({ date: 'data.date' }), requested: steps(null) }).data[0]).toMatch(
      /^more: .*[Ee]ntire/,
    );
  });

  it('counts no additions if the request only shrinks', () => {
    const changes = changesOf(
      { read: ['fitness'] },
      {},
      { approved: steps({ a: 'data.a', b: 'data.b' }), requested: steps({ a: 'data.a' }) },
    );
    expect(changes).toMatchObject({ additions: 0, same: false });
  });

  it('returns undefined for an application that was never set up', () => {
    expect(findApplicationChanges(exampleApplication({}))).toBeUndefined();
  });
});

describe('descriptions of rights', () => {
  it('start with the broadest right and mention future records', () => {
    const items = describeRights(rights({ write: ['notes'], read: ['fitness'], actsAsOwner: true }));
    expect(items.map(({ kind }) => kind)).toEqual(['owner', 'read', 'write']);
    expect(items[1]?.text).toBe('Read everything in fitness, including future records');
  });

  it('distinguish proposing one named Data Debit from proposing any', () => {
    const items = describeRights(rights({ proposesDebits: true, debits: ['weather', 'steps/daily'] }));
    expect(items.map(({ term }) => term)).toEqual(['datadebit', 'datadebit weather', 'datadebit steps/daily']);
    expect(items[1]?.text).toContain('the Data Debit weather');
    const { more } = changesOf({ debits: ['weather'] }, { debits: ['weather', 'steps'] });
    expect(more).toEqual(['datadebit steps']);
  });

  it('can be summarised in one line', () => {
    const summarise = (changes: Partial<ApplicationRights>, data: NamedBundle | null = null) =>
      summariseRights(rights(changes), data).replaceAll(/[\u202F\u00A0]/g, ' ');
    expect(summarise({ read: ['fitness'], write: ['a', 'b', 'c', 'd'] })).toBe('Reads fitness, writes a, b and 2 more');
    expect(summarise({ actsAsOwner: true, read: ['fitness'], files: ['photos'] })).toBe(
      'Reads and changes all records, files of photos',
    );
    expect(summarise({}, steps({ a: 'data.a' }))).toBe('Gets 1 field of Steps');
    expect(summarise({ debits: ['weather'] })).toBe('Asks you for data');
    expect(summarise({})).toBe('Only knows who you are');
  });
});

describe('withTermDifferences', () => {
  const data = steps({ date: 'data.date' });
  const condition = { name: 'if', bundle: { walk: { endpoints: [{ endpoint: 'fitness/walks' }] } } };
  const permission = (terms: Partial<Permission>): Permission => ({
    permissionId: 'p1',
    state: 'running',
    dateCreated: '2026-03-03T12:00:00.000Z',
    purpose: '',
    start: '2026-03-03T12:00:00.000Z',
    period: 86_400,
    cancelAtPeriodEnd: false,
    termsUrl: '',
    bundle: data,
    accepted: true,
    active: true,
    end: null,
    ...terms,
  });
  type Request = Partial<NonNullable<OwnerApplication['item']['application']['permissions']['dataRequired']>>;
  const differencesOf = (terms: Partial<Permission> | undefined, request: Request): string[] => {
    const application = updatedApplication({}, {}, { approved: data, requested: data });
    application.item.application.permissions.dataRequired = { bundle: data, ...request };
    const changes = findApplicationChanges(application);
    if (changes === undefined) throw new Error('expected an approved application');
    const approvedPermission = terms === undefined ? undefined : permission(terms);
    return withTermDifferences(changes, application, approvedPermission).data.map(
      ({ kind, text }) => `${kind}: ${text}`,
    );
  };

  it('reports a condition that an update removes, changes or adds', () => {
    expect(differencesOf({ conditions: condition }, {})).toEqual(['more: The previous condition is removed']);
    expect(differencesOf({ conditions: condition }, { conditions: { ...condition, name: 'other' } })).toEqual([]);
    expect(differencesOf({}, { conditions: condition })[0]).toMatch(/^other: New condition/);
  });

  it('reports that the sharing would no longer end, or end later or earlier', () => {
    const ending = { cancelAtPeriodEnd: true, end: '2026-04-01T12:00:00.000Z' };
    expect(differencesOf(ending, { rolling: true })[0]).toMatch(/^more: It would renew/);
    expect(differencesOf(ending, {})[0]).toMatch(/^more: It would renew/);
    expect(differencesOf({}, { endDate: '2026-04-01' })[0]).toMatch(/^less: It would end/);
    expect(differencesOf(ending, { endDate: '2026-05-01T12:00:00Z' })[0]).toMatch(/^more: .*May.*April/);
    expect(differencesOf(ending, { endDate: '2026-03-20T12:00:00Z' })[0]).toMatch(/^less: /);
    expect(differencesOf(ending, { endDate: '2026-04-01T12:00:00Z' })).toEqual([]);
    expect(differencesOf({}, {})).toEqual([]);
  });

  it('reports nothing if no data is shared now, because all of it then counts as new', () => {
    expect(differencesOf(undefined, { conditions: condition, endDate: '2026-04-01' })).toEqual([]);
  });
});
