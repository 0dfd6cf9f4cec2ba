import type { GeometryObject } from 'topojson-specification';
import { findValueEnd } from '../../../../platform/json/members.ts';
import { scanValue } from '../../../../platform/json/text.ts';
import { MAX_LIST_NAME_CHARS } from '../../../../wire/limits.ts';
import { TOPOLOGY_MAX_BYTES, TOPOLOGY_MAX_COORDINATES } from '../../../../wire/work-limits.ts';
import {
  BrokenElement,
  type ElementBatch,
  type ElementProblem,
  type ImportedElement,
} from '../tabular/element-source.ts';
import { memberTextsOf } from '../tabular/json-columns.ts';
import { BrokenGeometry, recordOfGeometry, sizeOfGeometry, topologyArcsOf, type TopologyArcs } from './geometry.ts';

/** Maximum elements and problems of a batch, which one transaction stores. */
const BATCH_MAX_ELEMENTS = 200;
/** Sum of characters and coordinates at which a batch ends. */
const BATCH_MAX_WORK = 100_000;

const brokenFile = (reason: string, problem: 'not_json' | 'too_large' = 'not_json'): BrokenElement =>
  new BrokenElement({ line: null, index: 0 }, problem, reason);

type FileSlice = {
  readonly bytes: Buffer;
  /** Includes bytes that are not content, such as a byte order mark. */
  readonly fileBytes: number;
};

const readWhole = async (slices: AsyncIterable<FileSlice>): Promise<{ text: string; fileBytes: number }> => {
  const chunks: Buffer[] = [];
  let fileBytes = 0;
  for await (const slice of slices) {
    chunks.push(slice.bytes);
    fileBytes += slice.fileBytes;
    if (fileBytes > TOPOLOGY_MAX_BYTES) {
      const reason = `TopoJSON is limited to ${TOPOLOGY_MAX_BYTES / 1_000_000} MB; convert this file to GeoJSON first`;
      throw brokenFile(reason, 'too_large');
    }
  }
  const scan = scanValue(Buffer.concat(chunks));
  if (scan.ok) return { text: scan.text, fileBytes };
  const reason = scan.problem === 'empty' ? 'this file contains no JSON' : scan.reason;
  throw new BrokenElement({ line: scan.line, index: 0 }, scan.problem, reason);
};

/** @throws BrokenElement */
const parseTopology = (text: string): { arcs: TopologyArcs; objects: Map<string, string> } => {
  const members = text.startsWith('{') ? memberTextsOf(text) : new Map<string, string>();
  if (members.get('type') !== '"Topology"') throw brokenFile('this is not a topology');
  const parseMember = (name: string): unknown => JSON.parse(members.get(name) ?? 'null');
  const arcs = topologyArcsOf(parseMember('arcs'), parseMember('transform'));
  if (arcs === undefined) throw brokenFile('the arcs or the transform of this topology are invalid');
  const objects = members.get('objects') ?? '';
  if (!objects.startsWith('{')) throw brokenFile('this topology has no objects');
  return { arcs, objects: memberTextsOf(objects) };
};

/** Returns the geometries of a collection as JSON texts. Any other object is returned as its only geometry. */
const geometriesOf = (object: string): string[] => {
  const members = object.startsWith('{') ? memberTextsOf(object) : new Map<string, string>();
  const list = members.get('geometries') ?? '';
  if (members.get('type') !== '"GeometryCollection"' || !list.startsWith('[')) return [object];
  const geometries: string[] = [];
  for (let start = 1; list[start] !== ']';) {
    const end = findValueEnd(list, start);
    geometries.push(list.slice(start, end));
    start = list[end] === ',' ? end + 1 : end;
  }
  return geometries;
};

type NamedGeometries = { readonly name: string; readonly geometries: readonly string[] };

/** @throws BrokenElement */
const chooseObject = (objects: ReadonlyMap<string, string>, path: readonly string[]): NamedGeometries => {
  if (path.length === 0) {
    const [longest] = Array.from(objects, ([name, object]) => ({ name, geometries: geometriesOf(object) })).toSorted(
      (a, b) => b.geometries.length - a.geometries.length,
    );
    if (longest === undefined) throw brokenFile('this topology has no objects');
    return longest;
  }
  const [root, name = ''] = path;
  const object = root === 'objects' && path.length === 2 ? objects.get(name) : undefined;
  if (object === undefined) throw brokenFile(`there is no object "${path.join('.')}" in this file`);
  return { name, geometries: geometriesOf(object) };
};

/** Returns the maximum number of coordinates of a geometry; 0 for a broken one, because it is not decoded. */
const countCoordinates = (geometryText: string, { sizes }: TopologyArcs): number => {
  try {
    return sizeOfGeometry(JSON.parse(geometryText), sizes);
  } catch (error) {
    if (error instanceof BrokenGeometry) return 0;
    throw error;
  }
};

/** @throws BrokenElement if the geometries have too many coordinates in total */
const checkTotalSize = (geometries: readonly string[], arcs: TopologyArcs): void => {
  let coordinates = 0;
  for (const geometry of geometries) {
    coordinates += countCoordinates(geometry, arcs);
    if (coordinates <= TOPOLOGY_MAX_COORDINATES) continue;
    const limit = TOPOLOGY_MAX_COORDINATES / 1_000_000;
    throw brokenFile(`its geometries have more than ${limit} million coordinates in total`, 'too_large');
  }
};

/**
 * Yields the geometries of one object as records. Geometries are decoded batch by batch, because together they can be
 * much larger than the file.
 * @param options.list `objects` and the name of the object; default: the object with the most geometries
 * @throws BrokenElement before the first batch, if the file is too large or not a topology, if there is no such object,
 *   or if its geometries have too many coordinates in total
 */
export async function* readTopology(
  slices: AsyncIterable<FileSlice>,
  { from = 0, list = [] }: { readonly from?: number; readonly list?: readonly string[] | undefined },
): AsyncGenerator<ElementBatch, void, undefined> {
  const { text, fileBytes } = await readWhole(slices);
  const { arcs, objects } = parseTopology(text);
  const { name, geometries } = chooseObject(objects, list);
  checkTotalSize(geometries, arcs);
  const shownName = name.slice(0, MAX_LIST_NAME_CHARS).toWellFormed();
  let elements: ImportedElement[] = [];
  let problems: ElementProblem[] = [];
  let work = 0;
  for (let index = from; index < geometries.length; index += 1) {
    const geometryText = geometries[index] ?? '';
    work += geometryText.length;
    try {
      const geometry: unknown = JSON.parse(geometryText);
      work += sizeOfGeometry(geometry, arcs.sizes);
      const record = recordOfGeometry(geometryText, geometry as GeometryObject, arcs.topology);
      elements.push({ text: record, line: 1, index });
    } catch (error) {
      if (!(error instanceof BrokenGeometry)) throw error;
      problems.push({ position: `${shownName}, geometry ${index + 1}`, problem: error.message });
    }
    const next = index + 1;
    const isFull = elements.length + problems.length >= BATCH_MAX_ELEMENTS || work >= BATCH_MAX_WORK;
    if (!isFull && next < geometries.length) continue;
    yield { elements, problems, next, bytesRead: Math.floor((fileBytes * next) / geometries.length) };
    elements = [];
    problems = [];
    work = 0;
  }
}
