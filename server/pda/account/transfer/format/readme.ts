/** README of each archive, for readers without this program. */
export const README_TEXT = `This is a whole Personal Data Account: all data, files, consents and their history.

Nothing but plain text and your own files is in here, and no program is needed to read it:

  manifest.json   what this is, of whom and of which moment, and a SHA-256 of each file of lines
  *.ndjson        one JSON value on each line; the data itself is in records.ndjson
  files/          your files, under the names that they had
  removed/        files that were deleted and could still be brought back
  uploads/        files that had come and were not taken in yet

It contains no password, no private key and no token. Anyone who has this archive can read everything else, so keep it as you would keep your diary.

What each line means is described in docs/archive-format.md of the program, and in its dashboard under Help.
To bring it into another account: set one up, open Settings, Move, and choose this file.
`;
