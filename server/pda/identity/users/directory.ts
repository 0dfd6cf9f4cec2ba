import type { UserDirectory } from '../owner/service.ts';
import type { UserStore } from './store.ts';

export const createUserDirectory = (store: UserStore): UserDirectory => ({
  findByName(name) {
    const row = store.findByName(name);
    if (row === undefined) return undefined;
    return { userId: row.id, name: row.name, enabled: row.enabled, passwordHash: row.password_hash };
  },
  find: store.find,
  passwordHashWithin(tx, userId) {
    const row = store.findWithin(tx, userId);
    return row?.enabled === true ? row.password_hash : undefined;
  },
  setLastSeen: store.setLastSeen,
});
