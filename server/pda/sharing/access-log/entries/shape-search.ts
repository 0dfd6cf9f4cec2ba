import { setImmediate as nextTurn } from 'node:timers/promises';
import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import { actOf, type Act } from '../../../../wire/access-kinds.ts';
import { likePattern } from '../../../core/like.ts';
import type { AccessNames } from '../names.ts';
import type { AccessLogStore, ShapeConditions, WordCondition } from '../store.ts';

export type ShapeFilter = { act: Act | undefined; endpoint: string | undefined; words: readonly string[] };

const SLICE_SHAPES = 500;
/** Maximum number of cached results. Shapes never change, so new shapes only extend a result. */
const MAX_CACHED_RESULTS = 20;

/** Creates the search for shapes. Its cost depends on the number of shapes, not on the number of rows. */
export const createShapeSearch = (parts: { store: AccessLogStore; names: AccessNames }) => {
  const { store, names } = parts;
  const cache = new Map<string, { upTo: number; ids: readonly number[] }>();

  const wordConditions = async (words: readonly string[]): Promise<WordCondition[]> => {
    const endpoints = await names.findEndpointsByName(words);
    return words.map((word, index) => ({
      like: likePattern(word),
      parties: names.findPartiesByName(word, store.groups()).map(({ kind, id }) => `${kind} ${id}`),
      endpoints: endpoints[index] ?? [],
    }));
  };

  return {
    async find({ act, endpoint, words }: ShapeFilter): Promise<readonly number[]> {
      const conditions: ShapeConditions = { endpoint: endpoint ?? null, words: await wordConditions(words) };
      // The conditions contain the parties and endpoints whose names match, so a changed name can lead to a new search.
      const key = JSON.stringify([act, conditions]);
      const cachedResult = cache.get(key);
      const ids = [...(cachedResult?.ids ?? [])];
      const newest = store.readNewestShapeId();
      for (let after = cachedResult?.upTo ?? 0; after < newest; after += SLICE_SHAPES) {
        if (after > (cachedResult?.upTo ?? 0)) await nextTurn();
        const matches = store.matchingShapes(after, Math.min(newest, after + SLICE_SHAPES), conditions);
        for (const { id, who_kind: kind, action } of matches)
          if (act === undefined || actOf(action, kind === 'owner') === act) ids.push(id);
      }
      setBounded(cache, key, { upTo: newest, ids }, MAX_CACHED_RESULTS);
      return ids;
    },
  };
};

export type ShapeSearch = ReturnType<typeof createShapeSearch>;
