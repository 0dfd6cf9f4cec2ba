import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { writeDocs } from '../../build/docs.ts';
import { guestScript } from '../../build/guest-script.ts';
import { mapBackground } from '../../build/map-background.ts';
import { precompress } from '../shared/vite/precompress.ts';
import { preloadStart } from '../shared/vite/preload-start.ts';

/** Builds the guide, which the dashboard opens as its help. */
const guide: Plugin = { name: 'guide', closeBundle: () => writeDocs(join(import.meta.dirname, '../..')) };

/** Modules that load before the texts. */
const LANGUAGE_MODULES =
  /renderer[\\/]shared[\\/](?:messages[\\/](?!en|de)|format[\\/]languages)|wire[\\/]language|preload-helper/u;
/** Modules of charts and maps. They stay out of the shared chunk. */
const CHART_MODULES =
  /node_modules[\\/](?:@mantine[\\/]charts|recharts|victory-vendor|d3-[a-z]+|@reduxjs|react-redux|redux|reselect|immer|es-toolkit|decimal\.js-light|maplibre-gl|pmtiles|fflate)[\\/]|virtual:map-background|renderer[\\/]dashboard[\\/]pages[\\/]data[\\/]charts[\\/]/u;
const FORMAT_MODULE = /renderer[\\/]shared[\\/]format[\\/]format\.ts/u;

export default defineConfig({
  plugins: [react(), mapBackground(), preloadStart(), guestScript(), guide, precompress()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Nothing is inlined: the Content-Security-Policy forbids `data:` scripts, and all fonts are system fonts.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The first chunk selects the language and loads its texts before any module that uses texts.
            { name: 'language', test: LANGUAGE_MODULES, priority: 1 },
            // Message catalogues use this module, which reads the selected language when it loads. So it needs its own
            // chunk between the language and the catalogues.
            { name: 'format', test: FORMAT_MODULE, priority: 1 },
            // One chunk for all shared modules: many small files load more slowly, especially through a tunnel, than
            // one larger file that the browser caches.
            { name: 'shared', minShareCount: 2, test: (id) => !CHART_MODULES.test(id) },
          ],
        },
      },
    },
  },
});
