/** Applications as the owner approved them. A definition that was published later grants no rights. */
export const applications = `
CREATE TABLE applications (
  -- Ids are compared case-insensitively and stored as the developer wrote them.
  id TEXT PRIMARY KEY COLLATE NOCASE,
  enabled INTEGER NOT NULL,
  version TEXT NOT NULL,
  -- The whole application (JSON) as the owner saw it.
  definition TEXT NOT NULL,
  approved INTEGER NOT NULL
) STRICT;
`;
