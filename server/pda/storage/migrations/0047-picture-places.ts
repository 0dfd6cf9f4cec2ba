/** Index of the places of pictures, so that the map of pictures reads no rows of the table. */
export const picturePlaces = `
CREATE INDEX files_places ON files (latitude, longitude, status) WHERE latitude IS NOT NULL;
`;
