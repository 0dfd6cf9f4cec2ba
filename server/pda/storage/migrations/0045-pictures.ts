/**
 * Metadata of pictures: when a picture was taken, as an instant (Unix milliseconds) and as the time on the camera's
 * clock (ISO 8601 without an offset), where (degrees), and with which camera. `picture_read`: 1 if the content was
 * examined, even if it contains no metadata.
 */
export const pictures = `
ALTER TABLE files ADD COLUMN taken INTEGER;
ALTER TABLE files ADD COLUMN taken_local TEXT;
ALTER TABLE files ADD COLUMN latitude REAL;
ALTER TABLE files ADD COLUMN longitude REAL;
ALTER TABLE files ADD COLUMN camera TEXT;
ALTER TABLE files ADD COLUMN picture_read INTEGER NOT NULL DEFAULT 0;
-- Earlier versions stored the kind 'file' when a file was replaced in the folder. The type was right.
UPDATE files SET kind = CASE
    WHEN substr(type, 1, instr(type, '/') - 1) IN ('image', 'video', 'audio', 'text') THEN substr(type, 1, instr(type, '/') - 1)
    WHEN type LIKE '%pdf%' OR type LIKE '%msword%' OR type LIKE '%officedocument%' OR type LIKE '%opendocument%'
      OR type LIKE '%rtf%' OR type LIKE '%epub%' THEN 'document'
    WHEN type LIKE '%json%' OR type LIKE '%xml%' OR type LIKE '%javascript%' OR type LIKE '%yaml%' OR type LIKE '%sql%' THEN 'text'
    WHEN type LIKE '%zip%' OR type LIKE '%tar%' OR type LIKE '%x-7z%' OR type LIKE '%rar%' OR type LIKE '%zstd%'
      OR type LIKE '%x-xz%' OR type LIKE '%compress%' THEN 'archive'
    ELSE 'other' END
  WHERE kind = 'file';
CREATE INDEX files_unread_pictures ON files (seq) WHERE picture_read = 0 AND kind = 'image' AND status = 'Completed';
CREATE INDEX files_by_taken ON files (status, taken_local, seq, kind);
CREATE INDEX files_by_month ON files (status, kind, substr(taken_local, 1, 7));
CREATE INDEX files_taken ON files (taken) WHERE taken IS NOT NULL;
`;
