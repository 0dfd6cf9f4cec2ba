import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
/** The Node binary that the project installs. */
export const NODE = join(ROOT, 'node_modules/node/bin/node');
