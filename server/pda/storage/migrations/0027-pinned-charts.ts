/**
 * Charts that the owner pinned to Home. `chart` is JSON, see server/wire/pinned-charts.ts. An endpoint is stored by its
 * name, so that its charts return with it when its deletion is undone.
 */
export const pinnedCharts = `
CREATE TABLE pinned_charts (
  id TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  endpoint TEXT NOT NULL,
  chart TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
