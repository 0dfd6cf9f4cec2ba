/**
 * Originals of records that an import changed are deleted together with their records. `author`: origin that stored the
 * original, so that they are also erased with it; NULL if it is unknown.
 */
export const importOriginals = `
ALTER TABLE import_changes ADD COLUMN author INTEGER;
UPDATE import_changes SET author = (SELECT version.author FROM record_versions AS version
  WHERE version.seq = import_changes.seq AND version.data = import_changes.data ORDER BY version DESC LIMIT 1);

DELETE FROM import_changes WHERE NOT EXISTS (SELECT 1 FROM records WHERE records.seq = import_changes.seq)
  AND NOT EXISTS (SELECT 1 FROM deleted_records WHERE deleted_records.seq = import_changes.seq);
CREATE INDEX import_changes_by_record ON import_changes (seq);

CREATE TRIGGER import_changes_orphaned AFTER DELETE ON records
WHEN EXISTS (SELECT 1 FROM import_changes WHERE seq = old.seq)
  AND NOT EXISTS (SELECT 1 FROM deleted_records WHERE seq = old.seq) BEGIN
  DELETE FROM import_changes WHERE seq = old.seq;
END;
CREATE TRIGGER deleted_import_changes_orphaned AFTER DELETE ON deleted_records
WHEN EXISTS (SELECT 1 FROM import_changes WHERE seq = old.seq)
  AND NOT EXISTS (SELECT 1 FROM records WHERE seq = old.seq) BEGIN
  DELETE FROM import_changes WHERE seq = old.seq;
END;
`;
