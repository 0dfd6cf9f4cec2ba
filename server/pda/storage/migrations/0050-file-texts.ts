/**
 * Text of text files and PDFs, and the full-text index over it. Both are filled in the background from
 * `file_text_queue`. Triggers delete the text when the file's content is deleted or replaced, queue files that may have
 * text, and update the sum of the bytes.
 *
 * `state`: 'stored', 'unreadable', or 'left out' because the texts of all files have reached their limit. `reader`:
 * version of the reader. `attempts`: how often reading the file began but did not end. `failures`: how often the file
 * could not be opened or read. `retry_at`: Unix milliseconds of the next attempt; 0 if none has failed in this way.
 * `queued_to`: sequence number up to which all files were queued; NULL once every file that existed has been queued.
 */
export const fileTexts = `
CREATE TABLE file_texts (
  seq INTEGER PRIMARY KEY,
  state TEXT NOT NULL,
  reader INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;

CREATE VIRTUAL TABLE file_text_words USING fts5(words, content='', contentless_delete=1, tokenize='ascii', prefix='2 3');

CREATE TABLE file_text_queue (
  seq INTEGER PRIMARY KEY,
  attempts INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  retry_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX file_text_queue_unopened ON file_text_queue (retry_at) WHERE retry_at > 0;
CREATE INDEX file_text_queue_remaining ON file_text_queue (seq) WHERE retry_at = 0;

CREATE TABLE file_text_progress (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  queued_to INTEGER,
  bytes INTEGER NOT NULL
) STRICT;
INSERT INTO file_text_progress VALUES (1, 0, 0);

CREATE INDEX files_with_text ON files (seq) WHERE status = 'Completed' AND kind IN ('text', 'document');
CREATE INDEX file_texts_unreadable ON file_texts (reader) WHERE state = 'unreadable';
CREATE INDEX file_texts_left_out ON file_texts (seq) WHERE state = 'left out';

CREATE TRIGGER file_text_added AFTER INSERT ON file_texts BEGIN
  UPDATE file_text_progress SET bytes = bytes + octet_length(new.text);
END;

CREATE TRIGGER file_text_removed AFTER DELETE ON file_texts BEGIN
  DELETE FROM file_text_words WHERE rowid = old.seq;
  UPDATE file_text_progress SET bytes = bytes - octet_length(old.text);
END;

CREATE TRIGGER file_text_created AFTER INSERT ON files
WHEN new.status = 'Completed' AND new.kind IN ('text', 'document') BEGIN
  INSERT OR IGNORE INTO file_text_queue (seq) VALUES (new.seq);
END;

CREATE TRIGGER file_text_changed AFTER UPDATE OF status, sha256, type, kind ON files
WHEN new.status <> old.status OR new.sha256 IS NOT old.sha256 OR new.type IS NOT old.type OR new.kind <> old.kind BEGIN
  DELETE FROM file_texts WHERE seq = old.seq;
  DELETE FROM file_text_queue WHERE seq = old.seq;
  INSERT INTO file_text_queue (seq) SELECT new.seq WHERE new.status = 'Completed' AND new.kind IN ('text', 'document');
END;

CREATE TRIGGER file_text_moved AFTER UPDATE OF source ON files
WHEN new.source <> old.source AND new.status = 'Completed' AND new.kind IN ('text', 'document') BEGIN
  INSERT OR IGNORE INTO file_text_queue (seq) VALUES (new.seq);
END;

CREATE TRIGGER file_text_file_removed AFTER DELETE ON files BEGIN
  DELETE FROM file_texts WHERE seq = old.seq;
  DELETE FROM file_text_queue WHERE seq = old.seq;
END;
`;
