import type { HtmlTagDescriptor, Plugin } from 'vite';

/**
 * Names in the page what `main.tsx` asks for as soon as it has the texts, so that all of it comes at the same time as the texts: one
 * journey to a far server less.
 */
export function preloadStart(): Plugin {
  return {
    name: 'preload-start',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }): HtmlTagDescriptor[] {
        const chunks = Object.values(bundle).filter((part) => part.type === 'chunk');
        // What the entry itself needs is named in the page already.
        const named = new Set(
          chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName, imports }) => [fileName, ...imports]),
        );
        const files = new Set<string>();
        const add = (file: string): void => {
          const chunk = bundle[file];
          if (chunk?.type !== 'chunk' || named.has(file) || files.has(file)) return;
          files.add(file);
          chunk.imports.forEach(add);
        };
        for (const { fileName, isDynamicEntry, name } of chunks) if (isDynamicEntry && name === 'start') add(fileName);
        return [...files].map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
          injectTo: 'head',
        }));
      },
    },
  };
}
