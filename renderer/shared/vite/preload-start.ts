import type { HtmlTagDescriptor, Plugin } from 'vite';

/**
 * Maximum total size of the scripts that every page loads first. If they are larger, they probably include a library
 * that only a few pages need.
 */
const START_MAX_BYTES = 1_700_000;

/** Properties of build files that determine what pages load first. */
type Output =
  | { type: 'asset' }
  | {
      type: 'chunk';
      fileName: string;
      name: string;
      isEntry: boolean;
      isDynamicEntry: boolean;
      imports: readonly string[];
      code: string;
    };

/**
 * Returns the file names of the chunks that `main.tsx` imports after the messages, except those that the HTML already
 * links: the entry and its imports.
 * @throws {Error} if there are none, or if the chunks that pages load first together exceed `START_MAX_BYTES`
 */
export function startFiles(bundle: Readonly<Record<string, Output>>): string[] {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
  const files = new Set<string>();
  let bytes = 0;
  const add = (file: string): void => {
    const chunk = bundle[file];
    if (chunk?.type !== 'chunk' || files.has(file)) return;
    files.add(file);
    bytes += Buffer.byteLength(chunk.code);
    chunk.imports.forEach(add);
  };
  for (const { fileName, isEntry } of chunks) if (isEntry) add(fileName);
  const linkedCount = files.size;
  for (const { fileName, isDynamicEntry, name } of chunks) if (isDynamicEntry && name === 'start') add(fileName);
  if (files.size === linkedCount) throw new Error('There is no chunk for start.tsx to preload.');
  if (bytes > START_MAX_BYTES)
    throw new Error(
      `Every page would load ${bytes} bytes of scripts, more than ${START_MAX_BYTES}: ${[...files].join(', ')}`,
    );
  return [...files].slice(linkedCount);
}

/**
 * Adds modulepreload links for the chunks that `main.tsx` imports after the messages, so that they load in parallel
 * with the messages. Saves a round trip to a distant server.
 */
export function preloadStart(): Plugin {
  return {
    name: 'preload-start',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }): HtmlTagDescriptor[] =>
        startFiles(bundle).map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
          injectTo: 'head',
        })),
    },
  };
}
