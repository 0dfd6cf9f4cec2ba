/**
 * The version of each Data Debit and application that an owner session was last shown. Rows are deleted with their
 * session.
 *
 * A bundle name belongs to a Data Debit only after the approval. Names of requests that are only pending are released.
 */
export const reviews = `
CREATE TABLE reviews (
  session TEXT NOT NULL REFERENCES sessions (jti) ON DELETE CASCADE,
  subject TEXT NOT NULL,
  version TEXT NOT NULL,
  PRIMARY KEY (session, subject)
) STRICT, WITHOUT ROWID;

DELETE FROM debit_bundles WHERE NOT EXISTS (
  SELECT 1 FROM debit_permissions AS permission
  WHERE permission.debit = debit_bundles.debit AND permission.accepted IS NOT NULL
    AND debit_bundles.name IN (json_extract(permission.asked, '$.name'), json_extract(permission.conditions, '$.name'))
);
`;
