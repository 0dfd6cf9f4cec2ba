import { namespaceOf } from '../../../../server/wire/display-name.ts';
import type { Reader, ReaderSource } from './readers/reader.ts';

export interface DiagramSource {
  /** `others` combines the namespaces that do not fit. */
  kind: 'namespace' | 'records' | 'files' | 'profile' | 'others';
  /** The namespace; empty for other kinds. */
  id: string;
  /** Separately shared endpoints of the namespace. */
  endpoints: string[];
  /** True if a reader sees all endpoints of the namespace. */
  includesAllEndpoints: boolean;
  /** Number of sources: 1 except for `others`. */
  count: number;
  /** Keyed by the index of the reader. The value is true if the reader sees entire records or file contents. */
  readers: Map<number, boolean>;
}

type DiagramSourceId = Pick<DiagramSource, 'kind' | 'id'>;

interface DiagramLine {
  /** Index of the reader. */
  from: number;
  /** Index of the source. */
  to: number;
  isEntire: boolean;
}

interface ReaderDiagramLayout {
  shownCount: number;
  hiddenCount: number;
  sources: DiagramSource[];
  lines: DiagramLine[];
}

const MAX_READERS = 14;
const MAX_SOURCES = 14;
const MAX_TABLE_SOURCES = 20;

export function createDuplicateNameCheck(readers: readonly Pick<Reader, 'name'>[]): (name: string) => boolean {
  const names = new Set<string>();
  const duplicates = new Set<string>();
  for (const { name } of readers) (names.has(name) ? duplicates : names).add(name);
  return (name) => duplicates.has(name);
}

function diagramSourceIdOf({ kind, id }: ReaderSource): DiagramSourceId {
  return kind === 'endpoint' ? { kind: 'namespace', id: namespaceOf(id) } : { kind, id };
}

function addReaders(readers: Map<number, boolean>, addedReaders: Iterable<readonly [number, boolean]>): void {
  for (const [reader, isEntire] of addedReaders) readers.set(reader, isEntire || readers.get(reader) === true);
}

const emptySource = (sourceId: DiagramSourceId): DiagramSource => ({
  ...sourceId,
  endpoints: [],
  includesAllEndpoints: false,
  count: 1,
  readers: new Map(),
});

/** Collects the sources of all readers. Readers of all records become readers of each namespace. */
function collectSources(readers: readonly Pick<Reader, 'sources'>[]): DiagramSource[] {
  const diagramSources = new Map<string, DiagramSource>();
  for (const [index, { sources }] of readers.entries()) {
    for (const source of sources) {
      const sourceId = diagramSourceIdOf(source);
      const key = sourceKey(sourceId);
      const diagramSource = diagramSources.get(key) ?? emptySource(sourceId);
      addReaders(diagramSource.readers, [[index, source.isEntire]]);
      diagramSources.set(key, {
        ...diagramSource,
        endpoints:
          source.kind === 'endpoint' ? [...new Set([...diagramSource.endpoints, source.id])] : diagramSource.endpoints,
        includesAllEndpoints: diagramSource.includesAllEndpoints || source.kind === 'namespace',
      });
    }
  }
  const readersOfAll = diagramSources.get('records ')?.readers;
  if (readersOfAll === undefined) return [...diagramSources.values()];
  return Array.from(diagramSources.values(), (source): DiagramSource => {
    if (source.kind !== 'namespace') return source;
    addReaders(source.readers, readersOfAll);
    return { ...source, includesAllEndpoints: true };
  });
}

/** Combines the namespaces with the fewest readers if there are too many sources. Keeps all sources of other kinds. */
function limitSources(sources: readonly DiagramSource[]): DiagramSource[] {
  if (sources.length <= MAX_SOURCES) return [...sources];
  const specialSources = sources.filter(({ kind }) => kind !== 'namespace');
  const namespaces = sources
    .filter(({ kind }) => kind === 'namespace')
    .toSorted((a, b) => b.readers.size - a.readers.size);
  const shownCount = MAX_SOURCES - 1 - specialSources.length;
  const otherNamespaces = namespaces.slice(shownCount);
  const readers = new Map<number, boolean>();
  for (const source of otherNamespaces) addReaders(readers, source.readers);
  const others = { ...emptySource({ kind: 'others', id: '' }), count: otherNamespaces.length, readers };
  return [...specialSources, ...namespaces.slice(0, shownCount), others];
}

/** Limits a reader's sources for the table. `hiddenCount` is the number of omitted endpoints and namespaces. */
export function limitTableSources(sources: readonly ReaderSource[]): {
  listedSources: readonly ReaderSource[];
  hiddenCount: number;
} {
  if (sources.length <= MAX_TABLE_SOURCES) return { listedSources: sources, hiddenCount: 0 };
  const isEndpointOrNamespace = ({ kind }: ReaderSource): boolean => kind === 'endpoint' || kind === 'namespace';
  const listedSources = [
    ...sources.filter((source) => !isEndpointOrNamespace(source)),
    ...sources.filter(isEndpointOrNamespace),
  ].slice(0, MAX_TABLE_SOURCES - 1);
  return { listedSources, hiddenCount: sources.length - listedSources.length };
}

type DiagramSide = 'reader' | 'source';

/** Identifies a reader or source by its key, which stays the same when others are added or removed. */
export interface DiagramHighlight {
  side: DiagramSide;
  key: string;
}

export function sourceKey({ kind, id }: DiagramSourceId): string {
  return `${kind} ${id}`;
}

/** Returns the side and index of the reader or source; undefined if it is not in the diagram. */
export function findHighlight(
  highlight: DiagramHighlight | undefined,
  keys: Readonly<Record<DiagramSide, readonly string[]>>,
): { side: DiagramSide; index: number } | undefined {
  if (highlight === undefined) return undefined;
  const index = keys[highlight.side].indexOf(highlight.key);
  return index === -1 ? undefined : { side: highlight.side, index };
}

/** Keeps the order of readers, and places each source near its readers, so that few lines cross. */
export function layOutDiagram(allReaders: readonly Pick<Reader, 'sources'>[]): ReaderDiagramLayout {
  const readers = allReaders.slice(0, MAX_READERS);
  const meanPosition = (source: DiagramSource): number =>
    [...source.readers.keys()].reduce((sum, index) => sum + index, 0) / source.readers.size;
  const sources = limitSources(collectSources(readers)).toSorted(
    (a, b) => meanPosition(a) - meanPosition(b) || a.kind.localeCompare(b.kind) || a.id.localeCompare(b.id),
  );
  const lines = sources.flatMap((source, to) =>
    Array.from(source.readers, ([from, isEntire]): DiagramLine => ({ from, to, isEntire })),
  );
  return { shownCount: readers.length, hiddenCount: allReaders.length - readers.length, sources, lines };
}
