/**
 * Folder, schedule and key of backups. The times of backups are stored outside the database, because each backup would
 * otherwise change the content of the next one.
 */
export const backup = `
CREATE TABLE backup (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- Folder on this computer; NULL: none is chosen.
  folder TEXT,
  -- Key that encrypts the archive, and its wrapped copies (JSON). Both are part of each backup, in encrypted form.
  master BLOB,
  locks TEXT,
  -- off, hour, day or week.
  every TEXT NOT NULL,
  -- Number of days, weeks and months whose newest backup is retained.
  keep_days INTEGER NOT NULL,
  keep_weeks INTEGER NOT NULL,
  keep_months INTEGER NOT NULL
) STRICT;
INSERT INTO backup (id, folder, master, locks, every, keep_days, keep_weeks, keep_months) VALUES (1, NULL, NULL, NULL, 'day', 7, 5, 12);
`;
