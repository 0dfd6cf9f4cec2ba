/**
 * The owner's corrections to sources and fields: names, types, units, icons and colours. An empty path means the
 * endpoint itself.
 */
export const fieldCorrections = `
CREATE TABLE field_corrections (
  endpoint TEXT NOT NULL,
  path TEXT NOT NULL,
  name TEXT,
  type TEXT,
  unit TEXT,
  icon TEXT,
  colour TEXT,
  PRIMARY KEY (endpoint, path)
) STRICT, WITHOUT ROWID;
`;
