import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

const COMPRESSIBLE = new Set(['.html', '.js', '.css', '.svg', '.json', '.webmanifest']);
/** Smaller files stay uncompressed, because response headers outweigh the savings. */
const COMPRESSION_MIN_BYTES = 1024;
/** Brotli's highest level takes three times as long and saves only 2% more. */
const BROTLI_LEVEL = 9;
const GZIP_LEVEL = 9;

/** Writes `.br` and `.gz` copies of a build's text files, which the server sends to browsers that accept them. */
export const precompress = (): Plugin => {
  let folder = '';
  return {
    name: 'precompress',
    apply: 'build',
    configResolved({ root, build }) {
      folder = join(root, build.outDir);
    },
    closeBundle() {
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        const file = join(entry.parentPath, entry.name);
        if (!entry.isFile() || !COMPRESSIBLE.has(extname(file))) continue;
        const content = readFileSync(file);
        if (content.length < COMPRESSION_MIN_BYTES) continue;
        const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL };
        writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
        writeFileSync(`${file}.gz`, gzipSync(content, { level: GZIP_LEVEL }));
      }
    },
  };
};
