/**
 * Text of text files and PDFs, for excerpts, and the full-text index over it. Both are filled in the background with
 * the files of `file_text_queue`. Triggers remove the text of a file with its content, also when the file is deleted or
 * replaced, and queue files that may have text. `queued_to`: sequence number up to which all files were queued; NULL if
 * none is left. `readable`: 0 if the text could not be read.
 */
export const fileTexts = `
CREATE TABLE file_texts (
  seq INTEGER PRIMARY KEY,
  readable INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;

CREATE VIRTUAL TABLE file_text_words USING fts5(words, content='', contentless_delete=1, tokenize='ascii', prefix='2 3');

CREATE TABLE file_text_queue (
  seq INTEGER PRIMARY KEY
) STRICT;

CREATE TABLE file_text_progress (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  queued_to INTEGER
) STRICT;
INSERT INTO file_text_progress VALUES (1, 0);

CREATE INDEX files_with_text ON files (seq) WHERE status = 'Completed' AND kind IN ('text', 'document');
CREATE INDEX file_texts_unreadable ON file_texts (seq) WHERE readable = 0;

CREATE TRIGGER file_text_removed AFTER DELETE ON file_texts BEGIN
  DELETE FROM file_text_words WHERE rowid = old.seq;
END;

CREATE TRIGGER file_text_created AFTER INSERT ON files
WHEN new.status = 'Completed' AND new.kind IN ('text', 'document') BEGIN
  INSERT OR IGNORE INTO file_text_queue VALUES (new.seq);
END;

CREATE TRIGGER file_text_changed AFTER UPDATE OF status, sha256, type, kind ON files
WHEN new.status <> old.status OR new.sha256 IS NOT old.sha256 OR new.type IS NOT old.type OR new.kind <> old.kind BEGIN
  DELETE FROM file_texts WHERE seq = old.seq;
  DELETE FROM file_text_queue WHERE seq = old.seq;
  INSERT INTO file_text_queue SELECT new.seq WHERE new.status = 'Completed' AND new.kind IN ('text', 'document');
END;

CREATE TRIGGER file_text_moved AFTER UPDATE OF source ON files
WHEN new.source <> old.source AND new.status = 'Completed' AND new.kind IN ('text', 'document') BEGIN
  INSERT OR IGNORE INTO file_text_queue VALUES (new.seq);
END;

CREATE TRIGGER file_text_file_removed AFTER DELETE ON files BEGIN
  DELETE FROM file_texts WHERE seq = old.seq;
  DELETE FROM file_text_queue WHERE seq = old.seq;
END;
`;
