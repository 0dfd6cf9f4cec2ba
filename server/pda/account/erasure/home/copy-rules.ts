/** Copies of the database that this program makes by itself, before it changes the format or when it is asked for one. */
const LOCAL_COPY = /^(?:copy-|before-format-|set-aside-).*\.sqlite$/u;
const BESIDE_A_COPY = /^(?:copy-|before-format-|set-aside-).*\.sqlite(?:-wal|-shm|-journal|\.new)?$/u;

export const isLocalCopy = (name: string): boolean => LOCAL_COPY.test(name);
/** Returns true for a database copy and for its sidecar files. */
export const belongsToACopy = (name: string): boolean => BESIDE_A_COPY.test(name);

/** What is left of a database that was being made when something stopped it. */
export const isDatabaseRemainder = (name: string): boolean =>
  /^pda\.sqlite\.(?:new|copy)(?:-wal|-shm|-journal|\.new)?$/u.test(name);

/** What a backup or the trial of one left behind when it was killed. */
export const isBackupRemainder = (name: string): boolean => /^(?:snapshot-[\w-]+\.sqlite|drill-)/u.test(name);
