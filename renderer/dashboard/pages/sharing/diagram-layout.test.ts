import { describe, expect, it } from 'vitest';
import { createDuplicateNameCheck, findHighlight, layOutDiagram, limitTableSources } from './diagram-layout.ts';
import type { ReaderSource } from './readers/reader.ts';

const source = (kind: ReaderSource['kind'], id: string, isEntire: boolean): ReaderSource => ({
  kind,
  id,
  extent: '',
  isEntire,
});
const endpoint = (id: string, isEntire = false) => source('endpoint', id, isEntire);
const namespace = (id: string) => source('namespace', id, true);
const FILES = source('files', '', true);
const RECORDS = source('records', '', true);
const PROFILE = source('profile', '', false);

const layoutOf = (...readers: ReaderSource[][]) => layOutDiagram(readers.map((sources) => ({ sources })));

describe('the diagram of readers', () => {
  it('draws one line per reader and source, and marks lines for entire records or files', () => {
    const { sources, lines } = layoutOf(
      [endpoint('fitness/sleep', true), endpoint('fitness/days'), endpoint('diary/pages')],
      [endpoint('fitness/days')],
      [FILES],
    );
    expect(sources.map(({ kind, id, endpoints }) => [kind, id, endpoints])).toEqual([
      ['namespace', 'diary', ['diary/pages']],
      ['namespace', 'fitness', ['fitness/sleep', 'fitness/days']],
      ['files', '', []],
    ]);
    expect(lines).toEqual([
      { from: 0, to: 0, isEntire: false },
      { from: 0, to: 1, isEntire: true },
      { from: 1, to: 1, isEntire: false },
      { from: 2, to: 2, isEntire: true },
    ]);
  });

  it('connects readers of all records with each namespace, but not with files', () => {
    const { sources } = layoutOf([RECORDS], [namespace('fitness')], [endpoint('diary/pages')], [FILES]);
    const readersOf = (key: string) =>
      sources
        .filter(({ kind, id }) => `${kind} ${id}` === key)
        .map(({ readers }) => [...readers.keys()].toSorted((a, b) => a - b));
    expect(readersOf('records ')).toEqual([[0]]);
    expect(readersOf('namespace fitness')).toEqual([[0, 1]]);
    expect(readersOf('namespace diary')).toEqual([[0, 2]]);
    expect(readersOf('files ')).toEqual([[3]]);
    expect(sources.every(({ kind, includesAllEndpoints }) => includesAllEndpoints === (kind === 'namespace'))).toBe(
      true,
    );
  });

  it('places each source next to its readers', () => {
    const { sources } = layoutOf([endpoint('z/z')], [endpoint('m/m')], [endpoint('a/a')]);
    expect(sources.map(({ id }) => id)).toEqual(['z', 'm', 'a']);
  });

  it('shows the first 14 of 100 readers, and combines the namespaces with the fewest readers', () => {
    const readers = Array.from({ length: 100 }, (_, index) => [endpoint('shared/days'), endpoint(`s${index}/days`)]);
    const { shownCount, hiddenCount, sources, lines } = layoutOf(...readers);
    expect([shownCount, hiddenCount, sources.length]).toEqual([14, 86, 14]);
    const otherSources = sources.filter(({ kind }) => kind === 'others');
    expect(otherSources.map(({ count, readers: { size } }) => [count, size])).toEqual([[2, 2]]);
    expect(sources.find(({ id }) => id === 'shared')?.readers.size).toBe(14);
    expect(lines).toHaveLength(28);
    expect(Math.max(...lines.map(({ from }) => from))).toBe(13);
  });

  it('combines namespaces, but not files, the profile or the source of all records', () => {
    const namespaces = Array.from({ length: 20 }, (_, index) => namespace(`n${index}`));
    const { sources } = layoutOf([RECORDS], namespaces, [FILES], [PROFILE]);
    expect(sources).toHaveLength(14);
    const specialSources = sources.filter(({ kind }) => kind !== 'namespace');
    expect(Object.fromEntries(specialSources.map(({ kind, count }) => [kind, count]))).toEqual({
      files: 1,
      others: 10,
      profile: 1,
      records: 1,
    });
  });

  it('highlights a reader or source by key while the diagram contains it', () => {
    const keys = { reader: ['ada', 'grace'], source: ['files '] };
    expect(findHighlight({ side: 'reader', key: 'grace' }, keys)).toEqual({ side: 'reader', index: 1 });
    expect(findHighlight({ side: 'reader', key: 'grace' }, { ...keys, reader: ['grace'] })?.index).toBe(0);
    expect(findHighlight({ side: 'source', key: 'files ' }, keys)).toEqual({ side: 'source', index: 0 });
    expect(findHighlight({ side: 'source', key: 'grace' }, keys)).toBeUndefined();
    expect(findHighlight(undefined, keys)).toBeUndefined();
  });

  it('detects names that several readers have', () => {
    const isDuplicateName = createDuplicateNameCheck([{ name: 'Acme' }, { name: 'Walks' }, { name: 'Acme' }]);
    expect(['Acme', 'Walks'].map((name) => isDuplicateName(name))).toEqual([true, false]);
  });
});

describe('the table of readers', () => {
  it('lists up to 20 sources of a reader, files and the profile first, and counts the others', () => {
    const endpoints = Array.from({ length: 20 }, (_, index) => endpoint(`n/${index}`));
    expect(limitTableSources(endpoints)).toEqual({ listedSources: endpoints, hiddenCount: 0 });
    const { listedSources, hiddenCount } = limitTableSources([...endpoints, FILES, PROFILE]);
    expect([listedSources.length, hiddenCount]).toEqual([19, 3]);
    expect(listedSources).toEqual([FILES, PROFILE, ...endpoints.slice(0, 17)]);
  });
});
