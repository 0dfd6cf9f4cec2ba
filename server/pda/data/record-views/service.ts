import { randomUUID } from 'node:crypto';
import { Failure } from '../../../platform/failure.ts';
import { MAX_RECORD_VIEWS } from '../../../wire/limits.ts';
import type { NewRecordView, RecordView, RecordViewsChange } from '../../../wire/record-views.ts';
import type { Writer } from '../../storage/index.ts';
import type { RecordViewStore } from './store.ts';

export type RecordViewService = ReturnType<typeof createRecordViewService>;

export const createRecordViewService = ({ store, writer }: { store: RecordViewStore; writer: Writer }) => {
  /** Returns the views in the owner's order. */
  const list = (endpoint: string): RecordView[] => store.list(endpoint);
  return {
    list,
    /** Adds a view after the others and returns all of them. @throws Failure wrong_state at the limit */
    async add(endpoint: string, { name, view }: NewRecordView): Promise<RecordView[]> {
      await writer.write((tx) => {
        if (list(endpoint).length >= MAX_RECORD_VIEWS)
          throw new Failure('wrong_state', `There are ${MAX_RECORD_VIEWS} views already. Remove one of them first.`);
        store.add(tx, endpoint, { id: randomUUID(), name, view });
      });
      return list(endpoint);
    },

    /** Replaces the views and returns the new list. Views without an id of this endpoint get a new id. */
    async replace(endpoint: string, views: RecordViewsChange): Promise<RecordView[]> {
      await writer.write((tx) => {
        const ids = new Set(list(endpoint).map(({ id }) => id));
        const viewsWithIds = views.map(({ id, name, view }) => ({
          id: id !== undefined && ids.has(id) ? id : randomUUID(),
          name,
          view,
        }));
        store.replace(tx, endpoint, viewsWithIds);
      });
      return list(endpoint);
    },
  };
};
