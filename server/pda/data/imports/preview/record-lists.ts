import type { RecordLists } from '../../../../wire/imports.ts';
import { MAX_JSON_DEPTH, MAX_LIST_NAME_CHARS } from '../../../../wire/limits.ts';
import { FEATURES_PATH } from '../tabular/element-reader.ts';
import { BrokenElement } from '../tabular/element-source.ts';
import { type JsonList, JsonStructure } from '../tabular/json-structure.ts';

/** Maximum number of lists that are kept while a file is scanned. */
const MAX_FOUND_LISTS = 1000;
/** Maximum number of lists that the owner is offered. */
const MAX_SHOWN_LISTS = 30;
/** Share of the file's bytes that lists must make up before one of them is chosen instead of the whole file. */
const MIN_CONTENT_SHARE = 0.5;

type FoundLists = {
  readonly rootType: string | undefined;
  readonly lists: readonly JsonList[];
  readonly bytes: number;
  readonly isComplete: boolean;
};

const totalBytes = (lists: readonly JsonList[]): number => lists.reduce((sum, { bytes }) => sum + bytes, 0);
const largestOf = (lists: readonly JsonList[]): JsonList | undefined => lists.toSorted((a, b) => b.bytes - a.bytes)[0];
const hasMostlyObjects = ({ elements, objects }: JsonList): boolean => objects * 2 > elements;
const fitsRequest = ({ path }: JsonList): boolean =>
  path.length <= MAX_JSON_DEPTH && path.every((name) => name.length <= MAX_LIST_NAME_CHARS);
const isFeatures = ({ path }: JsonList): boolean => path.length === 1 && path[0] === FEATURES_PATH[0];

/** Returns the largest list, preferring lists of objects; undefined if the lists are a minor part of the file. */
const findMainList = ({ lists, bytes }: FoundLists): JsonList | undefined => {
  const candidates = [lists.filter(hasMostlyObjects), lists.filter((list) => !hasMostlyObjects(list))];
  return largestOf(candidates.find((group) => totalBytes(group) >= bytes * MIN_CONTENT_SHARE) ?? []);
};

/**
 * Returns the objects of a topology as lists. A collection has one record per geometry, and any other object is one
 * record.
 */
const objectsOf = (lists: readonly JsonList[]): JsonList[] => {
  const objects = new Map<string, JsonList>();
  for (const list of lists) {
    const [root = '', name = '', member] = list.path;
    const path = [root, name];
    if (member === 'geometries' && list.path.length === 3) objects.set(name, { ...list, path });
    else if (!objects.has(name)) objects.set(name, { path, elements: 1, objects: 1, bytes: list.bytes });
  }
  return [...objects.values()];
};

const chooseList = (foundLists: FoundLists, readsTopology: boolean): RecordLists => {
  const { rootType } = foundLists;
  const geometries = rootType === 'Topology' ? foundLists.lists.filter(({ path }) => path[0] === 'objects') : [];
  const features = rootType === 'FeatureCollection' ? foundLists.lists.find(isFeatures) : undefined;
  const kind = features !== undefined ? 'geojson' : geometries.length > 0 ? 'topojson' : 'object';
  const topologyLists = readsTopology ? objectsOf(geometries) : geometries;
  const lists = kind === 'topojson' ? topologyLists : foundLists.lists;
  const chosenList =
    features ?? (kind === 'topojson' ? lists.toSorted((a, b) => b.elements - a.elements)[0] : findMainList(foundLists));
  const shownLists = new Set(lists.toSorted((a, b) => b.bytes - a.bytes).slice(0, MAX_SHOWN_LISTS));
  return {
    kind,
    chosen: [...(chosenList?.path ?? [])],
    lists: lists
      .filter((list) => shownLists.has(list))
      .map(({ path, elements, objects }) => ({ path: [...path], elements, objects })),
    complete: foundLists.isComplete,
  };
};

/**
 * Finds the lists in a JSON file, and the one that contains the records. Leaves out empty lists, and those whose path
 * is too long for a request. Returns null if no list is left or the file is not an object.
 * @param readsTopology if true, the lists of a topology are its objects
 */
export const findRecordLists = async (
  stream: AsyncIterable<Buffer>,
  maxMs: number,
  readsTopology = true,
): Promise<RecordLists | null> => {
  const deadline = performance.now() + maxMs;
  const lists: JsonList[] = [];
  let bytes = 0;
  let isComplete = true;
  const addList = (list: JsonList): void => {
    if (list.elements === 0 || !fitsRequest(list)) return;
    if (lists.length < MAX_FOUND_LISTS) lists.push(list);
    else isComplete = false;
  };
  const structure = new JsonStructure({ enterList: (path) => path.length === 0, endList: addList });
  try {
    for await (const chunk of stream) {
      if (bytes > 0 && performance.now() > deadline) {
        isComplete = false;
        if (structure.unfinishedList !== undefined) addList(structure.unfinishedList);
        break;
      }
      bytes += chunk.length;
      structure.scan(chunk);
      if (structure.hasStopped) return null;
    }
  } catch (error) {
    // The element reader reports the error with its line.
    if (!(error instanceof BrokenElement)) throw error;
    isComplete = false;
  }
  return bytes === 0 || lists.length === 0
    ? null
    : chooseList({ rootType: structure.rootType, lists, bytes, isComplete }, readsTopology);
};
