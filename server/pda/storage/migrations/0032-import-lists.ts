/** The list of records in an imported JSON file, and failed imports that the owner dismissed on Home. */
export const importLists = `
-- Names that lead to the list, as JSON; NULL if the file itself is the list.
ALTER TABLE imports ADD COLUMN list TEXT;
ALTER TABLE imports ADD COLUMN dismissed INTEGER;
`;
