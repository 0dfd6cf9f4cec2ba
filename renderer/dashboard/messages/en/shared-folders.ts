import { count } from '../../../shared/format/format.ts';

/** Folders that are shared with people. */
export const sharedFolders = {
  button: 'Share with a person',
  title: (folder: string) => `Share the folder ${folder} with a person`,
  notShared: 'Not shared with anyone yet.',
  canOpenAll: 'Can open everything in it, including new files',
  canOpenThrough: (folder: string) => `Can open everything in the folder ${folder}`,
  choose: 'Person',
  chooseNone: 'Choose a person',
  text: 'They can open everything in this folder and its subfolders, including files that you add later.',
  noPeople: 'You have not added any people yet.',
  noOthers: 'It is shared with all people whom you have added.',
  toPeople: 'Invite someone',
  submit: 'Share',
  submitFor: (name: string) => `Share with ${name}`,
  shared: (name: string, folder: string) => `${name} can open the folder ${folder}`,
  stop: 'Stop',
  stopLabel: (name: string, folder: string) => `Stop sharing the folder ${folder} with ${name}`,
  stopped: (name: string, folder: string) => `${name} can no longer open the folder ${folder}`,
  stoppedText: 'Running downloads were stopped. Copies that were downloaded before still exist.',
  ofPerson: (name: string) => `Folders that ${name} can open`,
  folders: (n: number) => count(n, 'shared folder', 'shared folders'),
};
