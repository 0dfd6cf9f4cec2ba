/**
 * The owner's corrections: names, types, units, icons and colours. The path is `$.<field path>` for a field and `$` for
 * the endpoint itself. A row for a namespace has the namespace as its endpoint, and the path `$`.
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
