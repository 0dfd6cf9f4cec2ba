import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { findForwardReferences } from './forward-references.ts';
import { findImportCycles } from './import-cycles.ts';
import { messageOf } from '../server/wire/values.ts';
import { parseModule, type ModuleImport } from './module-facts.ts';
import { checkSourceShape } from './source-shape.ts';
import {
  BANNED,
  COMPOSITION_FILES,
  COMPUTED_IMPORTS_ALLOWED,
  DEFAULT_EXPORTS_ALLOWED,
  RESTRICTED_PACKAGES,
  MAX_FOLDER_ENTRIES,
  CHECKED_FOLDERS,
  IO_MODULES,
  MAX_LINES,
  WARNING_LINES,
  ACYCLIC_FILES,
  IGNORED_FOLDERS,
  OPEN_ROOMS,
  AREAS,
  AREAS_WITH_SPECIFIC_RULES,
  RULE_OF_TARGET,
  WALLS,
  WING_LEVELS,
  type Area,
  type WallTarget,
} from './walls-plan.ts';

export type Finding = {
  readonly severity: 'error' | 'warning';
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly problem: string;
  readonly why: string;
};

const createErrorFinding = (file: string, line: number, rule: string, problem: string, why: string): Finding => ({
  severity: 'error',
  file,
  line,
  rule,
  problem,
  why,
});

/** A file's area. For files of a service, also the service and room. */
type Classification = { readonly area: Area; readonly service: string | null; readonly room: string | null };

/**
 * Checks the source files in `root` and its `CHECKED_FOLDERS`.
 * @returns the findings, sorted by file and line, and the number of files
 */
export function checkWalls(root: string): { readonly files: number; readonly findings: readonly Finding[] } {
  const files = sourceFiles(root);
  const findings: Finding[] = [];
  const importersByPackage = new Map<string, string>();
  const valueImports: ValueImports = new Map();
  for (const file of files) {
    const report = (line: number, rule: string, problem: string, why: string): void => {
      findings.push(createErrorFinding(file, line, rule, problem, why));
    };
    const classification = classify(file);
    if (classification === null)
      report(
        1,
        'belongs-to-an-area',
        file,
        'no entry of AREAS in build/walls-plan.ts matches this path, so no rule would apply',
      );
    const source = readFileSync(join(root, file), 'utf8');
    let facts;
    try {
      facts = parseModule(file, source);
    } catch (cause) {
      report(1, 'parses', messageOf(cause), 'a file that does not parse cannot be checked');
      continue;
    }
    for (const moduleImport of facts.imports) {
      for (const violation of violationsOf(file, classification, moduleImport, importersByPackage))
        report(moduleImport.line, violation.rule, formatImport(moduleImport), violation.why);
    }
    if (ACYCLIC_FILES.test(file) && classification?.area !== 'test')
      valueImports.set(file, valueImportsOf(file, facts.imports));
    if (COMPOSITION_FILES.test(file)) {
      for (const { name, line, declaredAt } of findForwardReferences(file, source))
        report(
          line,
          'no-forward-references',
          `${name}, which is declared on line ${declaredAt}`,
          'create the dependency first, or register it with the lower room after both exist',
        );
    }
    if (!DEFAULT_EXPORTS_ALLOWED.test(file)) {
      for (const line of facts.defaultExportLines)
        report(line, 'named-exports', 'export default', 'named exports have the same name everywhere');
    }
    if (facts.lines > WARNING_LINES) {
      const severity = facts.lines > MAX_LINES ? 'error' : 'warning';
      findings.push({
        severity,
        file,
        line: facts.lines,
        rule: 'short-files',
        problem: `${facts.lines} lines`,
        why: `split the file by subject; aim for at most ${WARNING_LINES} lines`,
      });
    }
  }
  findings.push(...bannedInPackageJson(root), ...cyclesIn(valueImports), ...crowdedFolders(files));
  return {
    files: files.length,
    findings: findings.toSorted((a, b) => a.file.localeCompare(b.file) || a.line - b.line),
  };
}

type ValueImports = Map<string, ReadonlyMap<string, number>>;

const valueImportsOf = (file: string, imports: readonly ModuleImport[]): ReadonlyMap<string, number> =>
  new Map(
    imports.flatMap(({ specifier, kind, line }): [string, number][] => {
      const target = specifier === null || kind === 'type' ? undefined : targetOf(file, specifier);
      return target?.kind === 'project' ? [[target.path, line]] : [];
    }),
  );

function cyclesIn(valueImports: ValueImports): Finding[] {
  const imports = new Map([...valueImports].map(([file, targets]) => [file, [...targets.keys()]]));
  return findImportCycles(imports).map((cycle) => {
    const [file = '', next = file] = cycle;
    const problem = [...cycle, file].join(' -> ');
    const why = 'which file runs first depends on the entry point; move the shared code into a separate file';
    return createErrorFinding(file, valueImports.get(file)?.get(next) ?? 1, 'no-import-cycles', problem, why);
  });
}

function crowdedFolders(files: readonly string[]): Finding[] {
  return [...MAX_FOLDER_ENTRIES].flatMap(([folder, maximum]): Finding[] => {
    const sources = files.filter((file) => file.startsWith(`${folder}/`) && classify(file)?.area !== 'test');
    const entries = new Set(sources.map((file) => file.slice(folder.length + 1).split('/')[0]));
    if (entries.size <= maximum) return [];
    const why = 'move files of a room into its folder';
    return [createErrorFinding(folder, 1, 'max-folder-entries', `${entries.size} entries, ${maximum} at most`, why)];
  });
}

function* violationsOf(
  file: string,
  classification: Classification | null,
  moduleImport: ModuleImport,
  importersByPackage: Map<string, string>,
): Generator<{ readonly rule: string; readonly why: string }> {
  if (moduleImport.specifier === null) {
    if (
      classification !== null &&
      classification.area !== 'test' &&
      classification.area !== 'tools' &&
      !COMPUTED_IMPORTS_ALLOWED.has(file)
    )
      yield { rule: 'literal-imports', why: 'an import whose target is computed cannot be checked' };
    return;
  }
  const target = targetOf(file, moduleImport.specifier);
  if (target.kind === 'package') {
    yield* packageViolationsOf(file, classification, target.name, importersByPackage);
    return;
  }
  const wall = classification === null ? undefined : WALLS[classification.area];
  const targetClassification = classify(target.path);
  if (classification === null || wall === undefined || targetClassification === null) return;
  const relation = relationOf(classification, targetClassification, target.path);
  if (classification.area !== 'test' && violatesWingOrder(file, target.path)) {
    yield {
      rule: 'wing-order',
      why: 'a wing imports from itself and from the wings below; let the upper wing register with the lower',
    };
    return;
  }
  if ((moduleImport.kind === 'type' ? wall.types : wall.values).includes(relation)) return;
  const specificRule = AREAS_WITH_SPECIFIC_RULES.has(classification.area) ? (RULE_OF_TARGET[relation] ?? wall) : wall;
  const hint = moduleImport.couldBeType
    ? '; write `import type { … }`: Node still loads the module for `import { type … }`'
    : '';
  yield { rule: specificRule.rule, why: specificRule.why + hint };
}

function* packageViolationsOf(
  file: string,
  classification: Classification | null,
  name: string,
  importersByPackage: Map<string, string>,
): Generator<{ readonly rule: string; readonly why: string }> {
  if (BANNED.packages.test(name)) yield BANNED;
  if (classification?.area === 'rules' && IO_MODULES.test(name))
    yield { rule: 'rules-are-pure', why: 'rules work on plain data: no I/O, no clock' };
  for (const restriction of RESTRICTED_PACKAGES) {
    if (!restriction.packages.some((candidate) => candidate === name)) continue;
    if (!restriction.within.test(file)) {
      yield { rule: restriction.rule, why: restriction.where };
    } else if ('files' in restriction && classification?.area !== 'test') {
      // Files are sorted, so the first importer is the same in every run.
      const firstImporter = importersByPackage.get(name) ?? file;
      importersByPackage.set(name, firstImporter);
      if (firstImporter !== file)
        yield { rule: restriction.rule, why: `${restriction.where}: ${firstImporter} already imports it` };
    }
  }
}

function wingOf(path: string): { readonly name: string; readonly level: number } | undefined {
  const name = /^server\/pda\/(?<wing>[a-z]+)\//u.exec(path)?.groups?.['wing'];
  const level = name === undefined ? -1 : WING_LEVELS.findIndex((wings) => wings.includes(name));
  return name === undefined || level === -1 ? undefined : { name, level };
}

function violatesWingOrder(from: string, to: string): boolean {
  const [fromWing, toWing] = [wingOf(from), wingOf(to)];
  if (fromWing === undefined || toWing === undefined || fromWing.name === toWing.name) return false;
  return toWing.level >= fromWing.level;
}

function classify(path: string): Classification | null {
  if (!path.includes('/')) return { area: 'config', service: null, room: null };
  for (const [area, pattern] of AREAS) {
    const match = pattern.exec(path);
    if (match !== null)
      return { area, service: match.groups?.['service'] ?? null, room: match.groups?.['room'] ?? null };
  }
  return null;
}

const RELATION_IN_ROOM = {
  store: 'own-store',
  service: 'own-service',
  rules: 'own-room',
  routes: 'own-room',
  room: 'own-room',
} as const;

function relationOf(from: Classification, to: Classification, toPath: string): WallTarget {
  const areInServices = to.service !== null && from.service !== null;
  if (areInServices && from.service !== to.service) return 'other-server';
  switch (to.area) {
    case 'store':
    case 'rules':
    case 'routes':
    case 'service':
    case 'room':
      if (from.room !== null && from.room === to.room) return RELATION_IN_ROOM[to.area];
      if (OPEN_ROOMS.some((room) => toPath.startsWith(`${room}/`))) return 'open-room';
      return to.area === 'service' ? 'other-service' : 'other-room';
    default:
      return to.area;
  }
}

function targetOf(
  file: string,
  specifier: string,
): { readonly kind: 'project'; readonly path: string } | { readonly kind: 'package'; readonly name: string } {
  const path = specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier;
  // A relative path into node_modules counts as an import of the package.
  const packagePath = /(?:^|\/)node_modules\/(?<rest>.+)$/.exec(path)?.groups?.['rest'];
  if (packagePath === undefined && specifier.startsWith('.')) return { kind: 'project', path };
  const [first = '', second] = (packagePath ?? specifier).split('/');
  if (first.startsWith('@') && second !== undefined) return { kind: 'package', name: `${first}/${second}` };
  return { kind: 'package', name: first.startsWith('node:') ? (packagePath ?? specifier) : first };
}

function formatImport(moduleImport: ModuleImport): string {
  if (moduleImport.specifier === null) return 'import(<computed>)';
  return `import ${moduleImport.kind === 'type' ? 'type ' : ''}'${moduleImport.specifier}'`;
}

function bannedInPackageJson(root: string): Finding[] {
  let text: string;
  try {
    text = readFileSync(join(root, 'package.json'), 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line, index) => {
    const name = /^\s*"(?<name>[^"]+)":\s*"/.exec(line)?.groups?.['name'] ?? '';
    if (!BANNED.packages.test(name)) return [];
    return [createErrorFinding('package.json', index + 1, BANNED.rule, `"${name}"`, BANNED.why)];
  });
}

const SOURCE = /\.(?:tsx?|[cm]?js)$/;

function sourceFiles(root: string): string[] {
  const files: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !IGNORED_FOLDERS.has(entry.name)) walk(path);
      else if (entry.isFile() && SOURCE.test(entry.name)) files.push(relative(root, path).split(sep).join('/'));
    }
  };
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    if (entry.isDirectory() && CHECKED_FOLDERS.has(entry.name)) walk(join(root, entry.name));
    else if (entry.isFile() && SOURCE.test(entry.name)) files.push(entry.name);
  }
  return files.toSorted();
}

/** Returns a line `file:line  rule  problem: why` for each finding, and a summary. */
export function formatFindings(files: number, findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ severity, file, line, rule, problem, why }) =>
      `${file}:${line}  ${severity === 'warning' ? 'warning ' : ''}${rule}  ${problem}: ${why}`,
  );
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return [...lines, `walls: ${files} files, ${errors} violations, ${findings.length - errors} warnings`].join('\n');
}

if (import.meta.main) {
  const root = resolve(process.argv[2] ?? dirname(import.meta.dirname));
  const { files, findings: wallFindings } = checkWalls(root);
  const findings = [...wallFindings, ...checkSourceShape(root, sourceFiles(root))];
  console.log(formatFindings(files, findings));
  process.exitCode = findings.some(({ severity }) => severity === 'error') ? 1 : 0;
}
