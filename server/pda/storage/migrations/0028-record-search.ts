/**
 * Full-text index over the records of all endpoints. A background indexer adds records in the order of their sequence
 * numbers; `indexed_to` is the last one that it has reached. Triggers remove deleted and changed records from the index
 * immediately. They queue changed and new records with a sequence number of at most `indexed_to` for indexing.
 */
export const recordSearch = `
CREATE VIRTUAL TABLE record_search USING fts5(words, content='', contentless_delete=1, tokenize='ascii', prefix='2 3');

CREATE TABLE search_progress (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  indexed_to INTEGER NOT NULL
) STRICT;
INSERT INTO search_progress VALUES (1, -1);

CREATE TABLE search_pending (
  seq INTEGER PRIMARY KEY
) STRICT;

CREATE TRIGGER record_search_created AFTER INSERT ON records
WHEN new.seq <= (SELECT indexed_to FROM search_progress) BEGIN
  INSERT OR IGNORE INTO search_pending VALUES (new.seq);
END;

CREATE TRIGGER record_search_changed AFTER UPDATE OF data ON records
WHEN new.seq <= (SELECT indexed_to FROM search_progress) BEGIN
  DELETE FROM record_search WHERE rowid = old.seq;
  INSERT OR IGNORE INTO search_pending VALUES (new.seq);
END;

CREATE TRIGGER record_search_deleted AFTER DELETE ON records
WHEN old.seq <= (SELECT indexed_to FROM search_progress) BEGIN
  DELETE FROM record_search WHERE rowid = old.seq;
  DELETE FROM search_pending WHERE seq = old.seq;
END;
`;
