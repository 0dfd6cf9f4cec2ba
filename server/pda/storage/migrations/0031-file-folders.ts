/** Index for subfolders. The expression returns the folder of a path with its last `/`: `a/b/` for `a/b/c`. */
export const fileFolders = `
CREATE INDEX files_by_folder ON files (status, rtrim(path, replace(path, '/', '')));
`;
