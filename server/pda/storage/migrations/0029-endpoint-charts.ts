/** The chart of an endpoint as the owner last chose it. */
export const endpointCharts = `
ALTER TABLE field_corrections ADD COLUMN chart TEXT;
`;
