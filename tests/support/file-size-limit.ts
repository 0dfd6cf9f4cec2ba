import { execFileSync } from 'node:child_process';

/**
 * Runs an ES module in a process whose files may not exceed 51,200 bytes, as on a file system with such a limit.
 * @returns its standard output
 */
export const runWithFileSizeLimit = (script: string): string =>
  // The unit of `ulimit -f` is 512 bytes.
  execFileSync('sh', ['-c', 'ulimit -f 100; exec "$0" "$@"', process.execPath, '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
