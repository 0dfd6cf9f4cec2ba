import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // The page's policy allows no data: scripts and the fonts are the system's: nothing is worth inlining.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
