import { count, number } from '../../../shared/format/format.ts';
import { list } from '../../../shared/messages/en/consent.ts';

const fileCount = (n: number) => count(n, 'file', 'files');

export const bulkFiles = {
  tooMany: (max: number) => `Select at most ${number(max)} files.`,
  download: {
    button: 'Download',
    started: 'Download started',
    startedText: (n: number) => `A ZIP archive of ${fileCount(n)}.`,
    missing: (n: number) => `${fileCount(n)} left out: incomplete, deleted, or changed by another program.`,
  },
  tags: {
    button: 'Tags…',
    title: (n: number) => `Tags of ${fileCount(n)}`,
    current: 'Tags of the selected files',
    counts: (n: number, all: number) => (n === all ? 'All selected files' : `${number(n)} of ${fileCount(all)}`),
    choices: { add: 'Added to all selected files', remove: 'Removed from all selected files' },
    add: 'Add tags',
    save: 'Save tags',
    done: (n: number) => `Tags of ${fileCount(n)} changed`,
    doneText: 'The other files needed no change.',
    doneAllText: 'All selected files were changed.',
    unchanged: 'No tags were changed',
    undone: 'Previous tags restored',
  },
  move: {
    button: 'Move…',
    title: (n: number) => `Move ${fileCount(n)}`,
    text: 'The files are also moved in the folder on this computer. Uploaded files keep their source.',
    folders: 'Folders',
    top: 'Top folder',
    noFolders: 'No subfolders.',
    newFolder: 'New subfolder',
    newFolderHint: 'Leave empty to move the files to the chosen folder.',
    invalidName: 'Enter a name without slashes.',
    submit: (folder: string) => `Move to ${folder}`,
    submitTop: 'Move to the top folder',
    opensTo: (people: readonly string[]) => `${list(people)} can then open them: this folder is shared.`,
    opensLinks: (links: readonly string[]) =>
      `Everyone with the share ${links.length === 1 ? 'link' : 'links'} ${list(links)} can then open them.`,
    closesTo: (people: readonly string[]) =>
      `${list(people)} can no longer open files that leave a shared folder, unless you also share them in another way.`,
    closesLinks: (links: readonly string[]) =>
      links.length === 1
        ? `The share link ${list(links)} no longer shows files that leave its folder.`
        : `The share links ${list(links)} no longer show files that leave their folders.`,
    done: (n: number, folder: string | undefined) =>
      folder === undefined ? `${fileCount(n)} moved to the top folder` : `${fileCount(n)} moved to ${folder}`,
    doneText: 'Also moved in the folder on this computer.',
    unchanged: 'The files are already in this folder',
    undone: (n: number) => `${fileCount(n)} moved back`,
    refused: (n: number, all: number) => `${number(n)} of ${fileCount(all)} not moved`,
    more: (n: number) => `and ${number(n)} more`,
    problems: {
      name_taken: 'the folder already has a file with this name.',
      changed: 'another program has just changed the file. Try again in a moment.',
      busy: 'another action on the file is in progress. Try again.',
      missing: 'the file was deleted in the meantime.',
      not_possible: 'the folder cannot be written to, or is on another disk.',
    },
  },
};
