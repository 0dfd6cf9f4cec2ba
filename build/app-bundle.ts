import { build } from 'esbuild';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** macOS colours a template image itself. Electron selects `@2x` on high-density screens. */
const TRAY_ICONS = ['tray.png', 'tray@2x.png', 'trayTemplate.png', 'trayTemplate@2x.png'];

/**
 * Bundles the desktop shell into a folder, with all packages except Electron, so that the app needs no `node_modules`.
 * @param entry the entry module; tests pass a different one
 * @returns the folder, which Electron can start
 * @throws {Error} if esbuild fails
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
    // CommonJS packages, such as electron-updater, load Electron and Node's modules with `require`.
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

/** Placeholder for the homepage, which a Debian package must have. `.invalid` is a reserved domain (RFC 2606). */
const PLACEHOLDER_HOMEPAGE = 'https://personal-data-account.invalid';

function appPackage(root: string): Record<string, unknown> {
  const project: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { name, version, description, homepage, author } = project as Record<string, unknown>;
  return {
    name,
    productName: 'Personal Data Account',
    version,
    description,
    homepage: homepage ?? PLACEHOLDER_HOMEPAGE,
    author: author ?? { name: 'Personal Data Account', email: `noreply@${new URL(PLACEHOLDER_HOMEPAGE).host}` },
    main: 'main.mjs',
    type: 'module',
  };
}
