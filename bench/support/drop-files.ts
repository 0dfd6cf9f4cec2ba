import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Writes small text files, `FILES_PER_FOLDER` in each folder. Usage: node drop-files.ts FOLDER FILES

const FILES_PER_FOLDER = 100;
const LINES_PER_FILE = 20;
const [folder = '', files = '0'] = process.argv.slice(2);

for (let number = 0; number < Number(files); number += 1) {
  const subfolder = join(folder, `folder ${Math.floor(number / FILES_PER_FOLDER)}`);
  if (number % FILES_PER_FOLDER === 0) mkdirSync(subfolder, { recursive: true });
  writeFileSync(
    join(subfolder, `note ${number}.txt`),
    `This is note ${number}, written by another program.\n`.repeat(LINES_PER_FILE),
  );
}
