import { randomUUID } from 'node:crypto';
import { Failure } from '../../../platform/failure.ts';
import { MAX_RECORD_VIEWS } from '../../../wire/limits.ts';
import type { NewRecordView, RecordView, RecordViewsChange } from '../../../wire/record-views.ts';
import type { Writer } from '../../storage/index.ts';
import type { RecordViewStore } from './store.ts';

export type RecordViewService = {
  /** In the owner's order. */
  list(endpoint: string): RecordView[];
  /** Adds a view after the others and returns all of them. @throws Failure wrong_state at the limit */
  add(endpoint: string, view: NewRecordView): Promise<RecordView[]>;
  /** Replaces the views of an endpoint and returns the new list. Views without an id of this endpoint get a new id. */
  replace(endpoint: string, views: RecordViewsChange): Promise<RecordView[]>;
};

export const createRecordViewService = (parts: { store: RecordViewStore; writer: Writer }): RecordViewService => {
  const { store, writer } = parts;
  const list = (endpoint: string): RecordView[] => store.all(endpoint);
  return {
    list,
    async add(endpoint, { name, view }) {
      await writer.write((tx) => {
        if (list(endpoint).length >= MAX_RECORD_VIEWS)
          throw new Failure('wrong_state', `There are ${MAX_RECORD_VIEWS} views already. Remove one of them first.`);
        store.add(tx, endpoint, { id: randomUUID(), name, view });
      });
      return list(endpoint);
    },

    async replace(endpoint, views) {
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
