/** Covering index of picture positions and common filters, so that the map reads no table rows. */
export const picturePlaces = `
CREATE INDEX files_places ON files (latitude, longitude, status, kind, source, path) WHERE latitude IS NOT NULL;
`;
