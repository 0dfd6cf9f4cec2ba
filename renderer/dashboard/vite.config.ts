import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { writeDocs } from '../../build/docs.ts';
import { precompress } from '../shared/vite/precompress.ts';
import { preloadStart } from '../shared/vite/preload-start.ts';

/** The guide that the dashboard's Help leads to is made whenever the dashboard is. */
const guide: Plugin = { name: 'guide', closeBundle: () => writeDocs(join(import.meta.dirname, '../..')) };

const BEFORE_TEXTS =
  /renderer[\\/]shared[\\/](?:messages[\\/](?!en|de)|format[\\/](?:languages|unit-names))|wire[\\/]language|preload-helper/u;
const FORMAT = /renderer[\\/]shared[\\/]format[\\/]format\.ts/u;

export default defineConfig({
  plugins: [react(), preloadStart(), guide, precompress()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // The page's policy allows no data: scripts and the fonts are the system's: nothing is worth inlining.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The page's first code chooses the language, and loads its texts, before anything that is made of texts.
            { name: 'language', test: BEFORE_TEXTS, priority: 1 },
            // Texts are written with it, and it asks at once which language was chosen: neither before that nor with what is made of texts.
            { name: 'format', test: FORMAT, priority: 1 },
            // What several pages use comes with the first of them in one piece: seventy small files take longer, above all over a tunnel, than one that is a
            // little larger and that the browser keeps.
            { name: 'shared', minShareCount: 2 },
          ],
        },
      },
    },
  },
});
