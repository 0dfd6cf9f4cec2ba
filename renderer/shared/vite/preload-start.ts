import type { HtmlTagDescriptor, Plugin } from 'vite';

/** Bytes of scripts that every page loads first. More of them point to a library that few pages use. */
const START_MAX_BYTES = 1_500_000;

/**
 * Adds modulepreload links for the chunks that `main.tsx` imports after the texts, so that both load in parallel. Saves
 * one round trip to a distant server. Fails the build if these chunks exceed START_MAX_BYTES.
 */
export function preloadStart(): Plugin {
  return {
    name: 'preload-start',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }): HtmlTagDescriptor[] {
        const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
        // The HTML already links the chunks of the entry.
        const linkedFiles = new Set(
          chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName, imports }) => [fileName, ...imports]),
        );
        const files = new Set<string>();
        let bytes = 0;
        const add = (file: string): void => {
          const chunk = bundle[file];
          if (chunk?.type !== 'chunk' || linkedFiles.has(file) || files.has(file)) return;
          files.add(file);
          bytes += Buffer.byteLength(chunk.code);
          chunk.imports.forEach(add);
        };
        for (const { fileName, isDynamicEntry, name } of chunks) if (isDynamicEntry && name === 'start') add(fileName);
        if (bytes > START_MAX_BYTES)
          throw new Error(
            `Every page would load ${bytes} bytes of scripts, more than ${START_MAX_BYTES}: ${[...files].join(', ')}`,
          );
        return [...files].map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
          injectTo: 'head',
        }));
      },
    },
  };
}
