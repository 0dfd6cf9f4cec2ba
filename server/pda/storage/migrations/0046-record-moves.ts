/**
 * Moves of records to another endpoint. Times are Unix milliseconds. Triggers delete a move with the last row of its
 * record, and queue a record whose source changes for the full-text index, because sources can be excluded from the
 * index.
 */
export const recordMoves = `
CREATE TABLE record_moves (
  id INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  time INTEGER NOT NULL,
  origin INTEGER NOT NULL,
  from_path TEXT NOT NULL,
  to_path TEXT NOT NULL
) STRICT;
CREATE INDEX record_moves_by_record ON record_moves (seq);

CREATE TRIGGER record_moves_removed AFTER DELETE ON records
WHEN EXISTS (SELECT 1 FROM record_moves WHERE seq = old.seq)
  AND NOT EXISTS (SELECT 1 FROM deleted_records WHERE seq = old.seq) BEGIN
  DELETE FROM record_moves WHERE seq = old.seq;
END;
CREATE TRIGGER deleted_record_moves_removed AFTER DELETE ON deleted_records
WHEN EXISTS (SELECT 1 FROM record_moves WHERE seq = old.seq)
  AND NOT EXISTS (SELECT 1 FROM records WHERE seq = old.seq) BEGIN
  DELETE FROM record_moves WHERE seq = old.seq;
END;

CREATE TRIGGER record_search_moved AFTER UPDATE OF endpoint ON records
WHEN new.seq <= (SELECT indexed_to FROM search_progress)
  AND (SELECT substr(path, 1, instr(path, '/')) FROM endpoints WHERE id = old.endpoint)
    <> (SELECT substr(path, 1, instr(path, '/')) FROM endpoints WHERE id = new.endpoint) BEGIN
  DELETE FROM record_search WHERE rowid = old.seq;
  INSERT OR IGNORE INTO search_pending VALUES (new.seq);
END;
`;
