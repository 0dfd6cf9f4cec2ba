import { describe, expect, it } from 'vitest';
import type { ApplicationRights, NamedBundle, OwnerApplication } from '../../../../shared/api/contract.ts';
import { countMore, differences, isSame } from './differences.ts';
import { example } from '../example.test-support.ts';
import { rightsInShort, rightsInWords } from './rights.ts';

const rights = (given: Partial<ApplicationRights>): ApplicationRights => ({
  read: [],
  write: [],
  files: [],
  proposesDebits: false,
  debits: [],
  actsAsOwner: false,
  other: [],
  ...given,
});

const steps = (mapping: Record<string, string> | null): NamedBundle => ({
  name: 'acme',
  bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps', ...(mapping === null ? {} : { mapping }) }] } },
});

const updated = (
  before: Partial<ApplicationRights>,
  now: Partial<ApplicationRights>,
  data: { before?: NamedBundle; now?: NamedBundle } = {},
): OwnerApplication => ({
  ...example({ asks: rights(now), asksData: data.now ?? null }),
  approved: {
    version: '1.0.0',
    time: '2026-03-03T12:00:00.000Z',
    rights: rights(before),
    data: data.before ?? null,
  },
});

const found = (...given: Parameters<typeof updated>) => {
  const all = differences(updated(...given));
  if (all === undefined) throw new Error('nothing to compare with');
  return {
    more: all.more.map(({ term }) => term),
    less: all.less.map(({ term }) => term),
    data: all.data.map(({ kind, text }) => `${kind}: ${text}`),
    same: isSame(all),
    toAllow: countMore(all),
  };
};

describe('what an update asks', () => {
  it('names what is new and what is gone, and nothing of what stays', () => {
    expect(
      found({ read: ['fitness', 'notes'], write: ['acme'] }, { read: ['fitness', 'health'], files: ['photos'] }),
    ).toMatchObject({
      more: ['namespaceread health', 'managefiles photos'],
      less: ['namespaceread notes', 'namespacewrite acme'],
      toAllow: 2,
    });
  });

  it('is nothing when it asks the same', () => {
    const data = steps({ date: 'data.date' });
    expect(found({ read: ['fitness'] }, { read: ['fitness'] }, { before: data, now: data })).toMatchObject({
      same: true,
      toAllow: 0,
    });
  });

  it('is nothing more for what acts as the owner already, files aside', () => {
    expect(
      found({ actsAsOwner: true }, { actsAsOwner: true, read: ['health'], proposesDebits: true, files: ['photos'] })
        .more,
    ).toEqual(['managefiles photos']);
    expect(found({ read: ['health'] }, { actsAsOwner: true }).more).toEqual(['owner']);
  });

  it('names the new fields of the data that leaves, and only those', () => {
    const { data, toAllow } = found(
      {},
      {},
      { before: steps({ date: 'data.date' }), now: steps({ date: 'data.date', place: 'data.place' }) },
    );
    expect(data).toHaveLength(1);
    expect(data[0]).toMatch(/^more: .*Place/);
    expect(data[0]).not.toContain('Date');
    expect(toAllow).toBe(1);
  });

  it('says out loud that entire records are asked from now on', () => {
    expect(found({}, {}, { before: steps({ date: 'data.date' }), now: steps(null) }).data[0]).toMatch(
      /^more: .*[Ee]ntire/,
    );
  });

  it('has nothing new to allow when only less is asked', () => {
    const less = found(
      { read: ['fitness'] },
      {},
      { before: steps({ a: 'data.a', b: 'data.b' }), now: steps({ a: 'data.a' }) },
    );
    expect(less).toMatchObject({ toAllow: 0, same: false });
  });

  it('is not there for an application that was never set up', () => {
    expect(differences(example({}))).toBeUndefined();
  });
});

describe('rights in plain words', () => {
  it('begin with the worst, and say that later records are meant too', () => {
    const said = rightsInWords(rights({ write: ['notes'], read: ['fitness'], actsAsOwner: true }));
    expect(said.map(({ kind }) => kind)).toEqual(['owner', 'read', 'write']);
    expect(said[1]?.text).toBe('Read everything in fitness, also what comes later');
  });

  it('name the Data Debit that may be asked by, and tell it from asking by any', () => {
    const said = rightsInWords(rights({ proposesDebits: true, debits: ['weather', 'steps/daily'] }));
    expect(said.map(({ term }) => term)).toEqual(['datadebit', 'datadebit weather', 'datadebit steps/daily']);
    expect(said[1]?.text).toContain('the Data Debit weather');
    const { more } = found({ debits: ['weather'] }, { debits: ['weather', 'steps'] });
    expect(more).toEqual(['datadebit steps']);
  });

  it('fit into one line', () => {
    const short = (given: Partial<ApplicationRights>, data: NamedBundle | null = null) =>
      rightsInShort(rights(given), data).replaceAll(/[\u202F\u00A0]/g, ' ');
    expect(short({ read: ['fitness'], write: ['a', 'b', 'c', 'd'] })).toBe('Reads fitness, writes a, b and 2 more');
    expect(short({ actsAsOwner: true, read: ['fitness'], files: ['photos'] })).toBe(
      'Reads and changes everything, files of photos',
    );
    expect(short({}, steps({ a: 'data.a' }))).toBe('Gets 1 field of Steps');
    expect(short({})).toBe('Only knows who you are');
  });
});
