import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { MAX_SHARED_VIEWS } from '../../../wire/limits.ts';
import {
  sharedDefinitionSchema,
  type NewSharedView,
  type SharedDefinition,
  type SharedView,
} from '../../../wire/shared-views.ts';
import type { EndpointStore } from '../../core/endpoint-store.ts';
import type { EventService } from '../../core/events/service.ts';
import type { RecordService } from '../../data/records/service.ts';
import type { UserService } from '../../identity/users/service.ts';
import type { Writer } from '../../storage/index.ts';
import { hasGrantEnded } from './rules.ts';
import type { ViewGrantRow, ViewGrantStore } from './store.ts';

export type GrantedView<Definition extends SharedDefinition = SharedDefinition> = {
  sharedViewId: string;
  userId: string;
  name: string;
  endpoint: string;
  definition: Definition;
  /**
   * Returns false once the grant has ended or been stopped, its definition has been replaced, or its endpoint has been
   * deleted.
   */
  isCurrent: () => boolean;
};

export type SharedViewService = {
  /** Returns the tables and charts that are shared now, sorted by name. */
  list(): SharedView[];
  /** Counts the tables and charts that are shared now with users who can sign in. */
  countOpen(): number;
  /**
   * Shares a table or chart with a user. Replaces the user's view of the same kind, name and endpoint.
   * @throws Failure not_found | invalid_input | wrong_state
   */
  share(view: NewSharedView): Promise<SharedView>;
  /** Stops sharing immediately, even during a read. @throws Failure not_found */
  stop(sharedViewId: string): Promise<SharedView>;
  /** Returns the tables and charts that are shared with the user now, sorted by name. */
  listByUser(userId: string): GrantedView[];
  /** Returns undefined if no table or chart with this id is shared with the user now. */
  find(userId: string, sharedViewId: string): GrantedView | undefined;
};

export const createSharedViewService = (parts: {
  store: ViewGrantStore;
  endpoints: Pick<EndpointStore, 'find' | 'pathOf' | 'summary'>;
  records: Pick<RecordService, 'locate'>;
  users: Pick<UserService, 'exists' | 'find' | 'nameOf'>;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  clock: Clock;
}): SharedViewService => {
  const { store, endpoints, records, users, writer, events, clock } = parts;

  /** Returns undefined if the grant has ended, its endpoint was deleted, or its definition is not supported. */
  const activeGrantOf = (row: ViewGrantRow | undefined) => {
    if (row === undefined || hasGrantEnded(row, clock.now())) return undefined;
    const endpoint = endpoints.pathOf(row.endpoint);
    const definition = sharedDefinitionSchema.safeParse(JSON.parse(row.definition)).data;
    return endpoint === undefined || definition === undefined ? undefined : { row, endpoint, definition };
  };

  const isCurrent = ({ id, definition, endpoint }: ViewGrantRow): boolean => {
    const current = activeGrantOf(store.findById(id));
    return current !== undefined && current.row.definition === definition && current.row.endpoint === endpoint;
  };

  const toGrantedView = (row: ViewGrantRow | undefined): GrantedView | undefined => {
    const active = activeGrantOf(row);
    if (active === undefined) return undefined;
    const { endpoint, definition, row: grant } = active;
    return {
      sharedViewId: grant.id,
      userId: grant.user_id,
      name: grant.name,
      endpoint,
      definition,
      isCurrent: () => isCurrent(grant),
    };
  };

  const toSharedView = (row: ViewGrantRow | undefined): SharedView | undefined => {
    const active = activeGrantOf(row);
    if (active === undefined) return undefined;
    const { id, user_id: userId, name, created, ends } = active.row;
    const { endpoint, definition } = active;
    return { sharedViewId: id, endpoint, name, userId, userName: users.nameOf(userId), definition, created, ends };
  };

  const unknownViewFailure = (): Failure => new Failure('not_found', 'This table or chart is no longer shared.');

  return {
    list: () => store.list().flatMap((row) => toSharedView(row) ?? []),

    countOpen() {
      const isOpen = (row: ViewGrantRow): boolean =>
        activeGrantOf(row) !== undefined && users.find(row.user_id)?.enabled === true;
      return store.list().filter(isOpen).length;
    },

    async share({ endpoint, name, userId, definition, ends }) {
      const now = clock.now();
      if (ends !== null && ends <= now)
        throw new Failure('invalid_input', 'This end date has passed. Choose a later one. Nothing was shared.');
      const row = await writer.write((tx) => {
        // The owner is not a user and can read everything.
        if (!users.exists(tx, userId)) throw new Failure('not_found', 'There is no such user. Nothing was shared.');
        const endpointId = endpoints.find(endpoint);
        if (endpointId === undefined || (endpoints.summary(endpoint)?.records ?? 0) === 0)
          throw new Failure('not_found', 'There are no records at this endpoint. Nothing was shared.');
        const selectedIds = definition.kind === 'table' ? (definition.selection.records ?? []) : [];
        // If these records were accepted, they would appear in the table when they are moved to this endpoint later.
        if (selectedIds.some((recordId) => records.locate(recordId)?.endpoint !== endpoint))
          throw new Failure(
            'not_found',
            'Some of the selected records are no longer at this endpoint. Select the records again. ' +
              'Nothing was shared.',
          );
        const grant = { user_id: userId, endpoint: endpointId, kind: definition.kind, name };
        const existing = store.find(grant);
        // The owner cannot see or stop ended grants, so they must not count towards the limit.
        if (existing === undefined) store.removeEnded(tx, now);
        if (existing === undefined && store.count() >= MAX_SHARED_VIEWS)
          throw new Failure(
            'wrong_state',
            `${MAX_SHARED_VIEWS} tables and charts are shared. Stop sharing some of them first.`,
          );
        const newGrant: ViewGrantRow = {
          ...grant,
          id: existing?.id ?? randomUUID(),
          definition: JSON.stringify(definition),
          created: now,
          ends,
        };
        store.save(tx, newGrant);
        events.notify(tx, 'files');
        return newGrant;
      });
      const sharedView = toSharedView(row);
      if (sharedView === undefined) throw unknownViewFailure();
      return sharedView;
    },

    async stop(sharedViewId) {
      const sharedView = toSharedView(store.findById(sharedViewId));
      if (sharedView === undefined) throw unknownViewFailure();
      await writer.write((tx) => {
        store.remove(tx, sharedViewId);
        events.notify(tx, 'files');
      });
      return sharedView;
    },

    listByUser: (userId) => store.listByUser(userId).flatMap((row) => toGrantedView(row) ?? []),

    find(userId, sharedViewId) {
      const row = store.findById(sharedViewId);
      return row?.user_id === userId ? toGrantedView(row) : undefined;
    },
  };
};
