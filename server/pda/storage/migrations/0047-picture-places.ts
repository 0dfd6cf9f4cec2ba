/** Index of the places of pictures with the columns of common filters, so that the map reads no rows of the table. */
export const picturePlaces = `
CREATE INDEX files_places ON files (latitude, longitude, status, kind, source, path) WHERE latitude IS NOT NULL;
`;
