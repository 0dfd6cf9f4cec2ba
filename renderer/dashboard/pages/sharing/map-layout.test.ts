import { describe, expect, it } from 'vitest';
import { createDuplicateNameCheck, layOutMap } from './map-layout.ts';
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

const mapOf = (...readers: ReaderSource[][]) => layOutMap(readers.map((sources) => ({ sources })));

describe('the map of readers', () => {
  it('draws one line per reader and namespace, which is marked if entire records are shared', () => {
    const { sources, lines } = mapOf(
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

  it('connects readers of a namespace and of all records with each namespace, but not with files', () => {
    const { sources } = mapOf([RECORDS], [namespace('fitness')], [endpoint('diary/pages')], [FILES]);
    const readersOf = (place: string) =>
      sources
        .filter(({ kind, id }) => `${kind} ${id}` === place)
        .map(({ readers }) => [...readers.keys()].toSorted((a, b) => a - b));
    expect(readersOf('records ')).toEqual([[0]]);
    expect(readersOf('namespace fitness')).toEqual([[0, 1]]);
    expect(readersOf('namespace diary')).toEqual([[0, 2]]);
    expect(readersOf('files ')).toEqual([[3]]);
    expect(sources.every(({ kind, isWhole }) => isWhole === (kind === 'namespace'))).toBe(true);
  });

  it('places each source next to its readers', () => {
    const { sources } = mapOf([endpoint('z/z')], [endpoint('m/m')], [endpoint('a/a')]);
    expect(sources.map(({ id }) => id)).toEqual(['z', 'm', 'a']);
  });

  it('shows the first of 100 readers, and combines the sources with the fewest readers', () => {
    const readers = Array.from({ length: 100 }, (_, index) => [endpoint('shared/days'), endpoint(`s${index}/days`)]);
    const { shown, hidden, sources, lines } = mapOf(...readers);
    expect([shown, hidden, sources.length]).toEqual([14, 86, 14]);
    const others = sources.filter(({ kind }) => kind === 'others');
    expect(others.map(({ count, readers: { size } }) => [count, size])).toEqual([[2, 2]]);
    expect(sources.find(({ id }) => id === 'shared')?.readers.size).toBe(14);
    expect(lines).toHaveLength(28);
    expect(Math.max(...lines.map(({ from }) => from))).toBe(13);
  });

  it('detects names that several readers have', () => {
    const isDuplicateName = createDuplicateNameCheck([{ name: 'Acme' }, { name: 'Walks' }, { name: 'Acme' }]);
    expect(['Acme', 'Walks'].map((name) => isDuplicateName(name))).toEqual([true, false]);
  });
});
