import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from '../shared/vite/precompress.ts';
import { preloadStart } from '../shared/vite/preload-start.ts';

export default defineConfig({
  plugins: [react(), preloadStart(), precompress()],
  publicDir: fileURLToPath(new URL('../dashboard/public', import.meta.url)),
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
