/** README of an archive, for people who read it without this program. */
export const README_TEXT = `This is a whole Personal Data Account: all data, files, consents and their history.

It contains only plain text and your own files. You need no program to read it:

  manifest.json   whose account this is, when it was exported, and a SHA-256 of each *.ndjson file
  *.ndjson        one JSON value on each line; the data itself is in records.ndjson
  files/          your files, under their names
  removed/        deleted files that could still be restored
  uploads/        uploaded files that were not in the files folder yet
  functions/      packages of your functions
  files-with-odd-names/
                  files whose names are not valid on every system

It contains no password, no private key and no token. Anyone who has this archive can read everything else, so keep it as safe as your diary.

The format is described in docs/archive-format.md of the program, and in its dashboard under Help.
To import it, set up a new account, open Settings, Move, and choose this file.
`;
