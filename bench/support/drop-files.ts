import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes small files, a hundred in each folder: node drop-files.ts FOLDER FILES */

const PER_FOLDER = 100;
const LINES = 20;
const [folder = '', files = '0'] = process.argv.slice(2);

for (let number = 0; number < Number(files); number += 1) {
  const place = join(folder, `folder ${Math.floor(number / PER_FOLDER)}`);
  if (number % PER_FOLDER === 0) mkdirSync(place, { recursive: true });
  writeFileSync(
    join(place, `note ${number}.txt`),
    `This is note ${number}, written by another program.\n`.repeat(LINES),
  );
}
