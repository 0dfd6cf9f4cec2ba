/**
 * Charts that the owner pinned to Home. `chart` is JSON, see server/wire/pinned-charts.ts. Endpoints are stored by
 * name, so that their charts return when a deletion is undone.
 */
export const pinnedCharts = `
CREATE TABLE pinned_charts (
  id TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  endpoint TEXT NOT NULL,
  chart TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
