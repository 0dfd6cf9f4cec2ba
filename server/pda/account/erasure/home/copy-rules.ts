/** Database copies that this program creates before a migration, on request, or when it restores a copy. */
const LOCAL_COPY = /^(?:copy-|before-format-|set-aside-).*\.sqlite$/u;
const LOCAL_COPY_OR_SIDECAR = /^(?:copy-|before-format-|set-aside-).*\.sqlite(?:-wal|-shm|-journal|\.new)?$/u;

/** Returns true for a copy, but not for its sidecar files. */
export const isLocalCopy = (name: string): boolean => LOCAL_COPY.test(name);
/** Returns true for a database copy and for its sidecar files. */
export const isLocalCopyOrSidecar = (name: string): boolean => LOCAL_COPY_OR_SIDECAR.test(name);

/** Returns true for leftovers of a database whose creation was interrupted. */
export const isDatabaseLeftover = (name: string): boolean =>
  /^pda\.sqlite\.(?:new|copy)(?:-wal|-shm|-journal|\.new)?$/u.test(name);

/** Returns true for leftovers of an interrupted backup or restore drill. */
export const isBackupLeftover = (name: string): boolean => /^(?:snapshot-[\w-]+\.sqlite|drill-)/u.test(name);
