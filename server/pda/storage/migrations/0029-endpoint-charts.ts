/** `chart`: settings of the chart that the owner last chose for the endpoint. */
export const endpointCharts = `
ALTER TABLE field_corrections ADD COLUMN chart TEXT;
`;
