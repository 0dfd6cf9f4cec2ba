/** The dashboard translates this message. */
export const FOLDER_DOES_NOT_EXIST =
  'This folder does not exist. Create the folder first, or choose another one. If it is on an external disk, connect the disk.';
