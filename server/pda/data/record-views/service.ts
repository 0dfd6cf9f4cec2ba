import { randomUUID } from 'node:crypto';
import type { RecordView, RecordViewsChange } from '../../../wire/record-views.ts';
import type { Writer } from '../../storage/index.ts';
import type { RecordViewStore } from './store.ts';

/** Views of the records of an endpoint that the owner saved. */
export type RecordViewService = {
  /** Returns the views of an endpoint, in the owner's order. */
  list(endpoint: string): RecordView[];
  /** Replaces the views of an endpoint and returns them. Views without an id of this endpoint get a new id. */
  replace(endpoint: string, views: RecordViewsChange): Promise<RecordView[]>;
};

export const createRecordViewService = (parts: { store: RecordViewStore; writer: Writer }): RecordViewService => {
  const { store, writer } = parts;
  const list = (endpoint: string): RecordView[] => store.all(endpoint);
  return {
    list,
    async replace(endpoint, views) {
      await writer.write((tx) => {
        const ids = new Set(list(endpoint).map(({ id }) => id));
        const withIds = views.map(({ id, name, view }) => ({
          id: id !== undefined && ids.has(id) ? id : randomUUID(),
          name,
          view,
        }));
        store.replace(tx, endpoint, withIds);
      });
      return list(endpoint);
    },
  };
};
