import { parseSync, Visitor, type ESTree } from 'vite';

/**
 * An import or re-export of a module. `kind` is 'type' for `import type`, `export type` and `import('x').T`, which Node
 * removes with the types. It is 'value' for `import { type T }`, because Node keeps `import { }` and loads the module.
 */
export type ModuleImport = {
  /** Without a `?query`; null for `import()` or `require()` with a computed target. */
  readonly specifier: string | null;
  readonly kind: 'value' | 'type';
  /** Counted from 1. */
  readonly line: number;
  /** True if every imported name is marked `type`, so that `import type` would suffice. */
  readonly couldBeType: boolean;
};

export type ModuleFacts = {
  readonly imports: readonly ModuleImport[];
  /** Lines of default exports and of `export =`, counted from 1. */
  readonly defaultExportLines: readonly number[];
  /** Names of exported declarations, without export lists, re-exports and destructured variables. */
  readonly exportedNames: readonly string[];
  readonly lines: number;
};

/** Parses a TypeScript or TSX file. @throws {SyntaxError} with the file and the parser's message */
export function parseModule(path: string, source: string): ModuleFacts {
  const parseResult = parseSync(path, source);
  const problem = parseResult.errors.find((error) => error.severity === 'Error');
  if (problem !== undefined) throw new SyntaxError(`${path}: ${problem.message}`);

  const lineOf = createLineLookup(source);
  const imports: ModuleImport[] = [];
  const defaultExportLines: number[] = [];
  const exportedNames: string[] = [];
  const addImport = (specifier: string | null, kind: 'value' | 'type', start: number, couldBeType = false): void => {
    imports.push({
      specifier: specifier === null ? null : withoutQuery(specifier),
      kind,
      line: lineOf(start),
      couldBeType,
    });
  };

  new Visitor({
    ImportDeclaration(node) {
      const onlyTypes = node.specifiers.length > 0 && node.specifiers.every(isMarkedType);
      addImport(node.source.value, node.importKind ?? 'value', node.start, onlyTypes && node.importKind !== 'type');
    },
    ExportNamedDeclaration(node) {
      if (node.source !== null) addImport(node.source.value, node.exportKind ?? 'value', node.start);
      exportedNames.push(...declaredNames(node.declaration));
      for (const specifier of node.specifiers) {
        const name = specifier.exported.type === 'Literal' ? specifier.exported.value : specifier.exported.name;
        if (name === 'default') defaultExportLines.push(lineOf(specifier.start));
      }
    },
    ExportAllDeclaration(node) {
      addImport(node.source.value, node.exportKind ?? 'value', node.start);
    },
    ExportDefaultDeclaration(node) {
      defaultExportLines.push(lineOf(node.start));
    },
    TSExportAssignment(node) {
      defaultExportLines.push(lineOf(node.start));
    },
    ImportExpression(node) {
      addImport(literalText(node.source), 'value', node.start);
    },
    TSImportType(node) {
      addImport(node.source.value, 'type', node.start);
    },
    TSImportEqualsDeclaration(node) {
      if (node.moduleReference.type !== 'TSExternalModuleReference') return;
      addImport(node.moduleReference.expression.value, node.importKind ?? 'value', node.start);
    },
    CallExpression(node) {
      // CommonJS through createRequire. By convention the variable is called `require`.
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'require') return;
      const [first] = node.arguments;
      if (first !== undefined) addImport(literalText(first), 'value', node.start);
    },
  }).visit(parseResult.program);

  return {
    imports: imports.toSorted((a, b) => a.line - b.line),
    defaultExportLines,
    exportedNames,
    lines: source === '' ? 0 : source.split('\n').length - (source.endsWith('\n') ? 1 : 0),
  };
}

function declaredNames(declaration: ESTree.ExportNamedDeclaration['declaration']): string[] {
  if (declaration === null) return [];
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  return 'id' in declaration && declaration.id?.type === 'Identifier' ? [declaration.id.name] : [];
}

function isMarkedType(specifier: { readonly type: string; readonly importKind?: string }): boolean {
  return specifier.type === 'ImportSpecifier' && specifier.importKind === 'type';
}

/** Returns the text of a string literal, or of a template without substitutions; null for computed values. */
function literalText(node: {
  readonly type: string;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly cooked: string | null } }[];
}): string | null {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral' && node.quasis?.length === 1) return node.quasis[0]?.value.cooked ?? null;
  return null;
}

function withoutQuery(specifier: string): string {
  return specifier.replace(/\?.*$/, '');
}

function createLineLookup(source: string): (offset: number) => number {
  const starts = [0];
  for (let lineBreak = source.indexOf('\n'); lineBreak !== -1; lineBreak = source.indexOf('\n', lineBreak + 1))
    starts.push(lineBreak + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}
