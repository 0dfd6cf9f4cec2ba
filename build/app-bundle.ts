import { build } from 'esbuild';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** macOS paints a template image itself, in the colour of its menu bar. Electron picks `@2x` by itself on fine screens. */
const TRAY_ICONS = ['tray.png', 'tray@2x.png', 'trayTemplate.png', 'trayTemplate@2x.png'];

/**
 * Bundles the desktop shell into a folder that Electron can start: `main.mjs`, its `package.json`, the tray's icons. Everything but Electron itself
 * is inside, so the app carries no `node_modules` of its own.
 *
 * @param entry for tests: another module of the shell
 * @returns the folder
 * @throws {Error} of esbuild when `main/` does not bundle
 */
export async function bundleApp(
  root: string,
  folder = join(root, 'dist', 'app'),
  entry = 'main/main.ts',
): Promise<string> {
  mkdirSync(folder, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: join(folder, 'main.mjs'),
    bundle: true,
    platform: 'node',
    // Electron 45 is built on Node 24.
    target: 'node24',
    format: 'esm',
    external: ['electron'],
    // Packages of the older kind, electron-updater among them, ask for Electron and for Node's modules with this.
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
    },
    sourcemap: 'linked',
    legalComments: 'eof',
    logLevel: 'silent',
  });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(appPackage(root), null, 2)}\n`);
  for (const name of TRAY_ICONS) copyFileSync(join(root, 'build/icons', name), join(folder, name));
  return folder;
}

/** What a Debian package must name and nobody has decided yet; `.invalid` can never be somebody's. */
const NO_SITE_YET = 'https://personal-data-account.invalid';

/** The `package.json` of the app: what Electron and electron-builder read. */
function appPackage(root: string): Record<string, unknown> {
  const project: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { name, version, description, homepage, author } = project as Record<string, unknown>;
  return {
    name,
    productName: 'Personal Data Account',
    version,
    description,
    homepage: homepage ?? NO_SITE_YET,
    author: author ?? { name: 'Personal Data Account', email: `nobody@${new URL(NO_SITE_YET).host}` },
    main: 'main.mjs',
    type: 'module',
  };
}
