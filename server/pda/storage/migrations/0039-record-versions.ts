/**
 * Earlier versions of records: the data before each change. `stored` and `author`: when and by which origin this data
 * was stored; `author` is NULL if it is unknown. `replaced` and `origin`: when and by which origin it was replaced.
 * Times are Unix milliseconds. Triggers queue each record that is deleted permanently. The record's versions are
 * deleted later in small transactions, because there can be many.
 */
export const recordVersions = `
CREATE TABLE record_versions (
  version INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  stored INTEGER NOT NULL,
  author INTEGER,
  replaced INTEGER NOT NULL,
  origin INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE INDEX record_versions_by_record ON record_versions (seq);
CREATE INDEX record_versions_by_time ON record_versions (replaced);

CREATE TABLE record_version_bytes (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  bytes INTEGER NOT NULL
) STRICT;
INSERT INTO record_version_bytes VALUES (1, 0);

CREATE TRIGGER record_version_bytes_added AFTER INSERT ON record_versions BEGIN
  UPDATE record_version_bytes SET bytes = bytes + new.bytes;
END;
CREATE TRIGGER record_version_bytes_removed AFTER DELETE ON record_versions BEGIN
  UPDATE record_version_bytes SET bytes = bytes - old.bytes;
END;

CREATE TABLE orphaned_versions (
  seq INTEGER PRIMARY KEY
) STRICT;

CREATE INDEX deleted_records_by_seq ON deleted_records (seq);

CREATE TRIGGER record_versions_orphaned AFTER DELETE ON records
WHEN EXISTS (SELECT 1 FROM record_versions WHERE seq = old.seq)
  AND NOT EXISTS (SELECT 1 FROM deleted_records WHERE seq = old.seq) BEGIN
  INSERT OR IGNORE INTO orphaned_versions VALUES (old.seq);
END;
CREATE TRIGGER deleted_record_versions_orphaned AFTER DELETE ON deleted_records
WHEN EXISTS (SELECT 1 FROM record_versions WHERE seq = old.seq)
  AND NOT EXISTS (SELECT 1 FROM records WHERE seq = old.seq) BEGIN
  INSERT OR IGNORE INTO orphaned_versions VALUES (old.seq);
END;
`;
