/** Where backups go, how often, and by which key. When they were made is kept beside the database: otherwise each backup would change what the next one holds. */
export const backup = `
CREATE TABLE backup (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- Folder on this machine; NULL: none is chosen.
  folder TEXT,
  -- The key that everything in the archive is locked with, and the locks on it: JSON. Both are in each backup, locked by themselves.
  master BLOB,
  locks TEXT,
  -- off, hour, day or week.
  every TEXT NOT NULL,
  -- Days, weeks and months of which the newest backup is kept.
  keep_days INTEGER NOT NULL,
  keep_weeks INTEGER NOT NULL,
  keep_months INTEGER NOT NULL
) STRICT;
INSERT INTO backup (id, folder, master, locks, every, keep_days, keep_weeks, keep_months) VALUES (1, NULL, NULL, NULL, 'day', 7, 5, 12);
`;
