import { parseSync } from 'vite';

/** The use, in a nested function, of a variable or class that an enclosing function declares further down. */
export type ForwardReference = {
  readonly name: string;
  /** Lines of the reference and of the declaration, counted from 1. */
  readonly line: number;
  readonly declaredAt: number;
};

type Node = { readonly type: string; readonly start: number } & Readonly<Record<string, unknown>>;

/**
 * `bindings`: names of a scope with the positions of their declarations. `ANYWHERE` marks parameters and function
 * declarations, which are usable in the whole scope.
 */
type Scope = {
  readonly bindings: Map<string, number>;
  readonly parent: Scope | null;
  readonly enclosingFunction: Node | null;
};

const ANYWHERE = -1;
const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration']);
/** Members of a node that contain types. Types are erased and cannot refer to a value too early. */
const TYPE_KEYS = new Set([
  'typeAnnotation',
  'returnType',
  'typeArguments',
  'typeParameters',
  'superTypeArguments',
  'implements',
]);
/** TypeScript expressions that contain a value. */
const TYPED_EXPRESSIONS = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const nodesIn = (value: unknown): Node[] =>
  Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [];

const nodeAt = (node: Node, key: string): Node | undefined => nodesIn(node[key])[0];

function namesOf(pattern: Node | undefined): string[] {
  switch (pattern?.type) {
    case 'Identifier':
      return [String(pattern['name'])];
    case 'ObjectPattern':
      return nodesIn(pattern['properties']).flatMap((property) =>
        namesOf(nodeAt(property, property.type === 'RestElement' ? 'argument' : 'value')),
      );
    case 'ArrayPattern':
      return nodesIn(pattern['elements']).flatMap(namesOf);
    case 'AssignmentPattern':
      return namesOf(nodeAt(pattern, 'left'));
    case 'RestElement':
      return namesOf(nodeAt(pattern, 'argument'));
    default:
      return [];
  }
}

function declarationsIn(statement: Node): [name: string, at: number][] {
  switch (statement.type) {
    case 'VariableDeclaration':
      return nodesIn(statement['declarations']).flatMap((declarator) =>
        namesOf(nodeAt(declarator, 'id')).map((name): [string, number] => [name, declarator.start]),
      );
    case 'FunctionDeclaration':
      return namesOf(nodeAt(statement, 'id')).map((name) => [name, ANYWHERE]);
    case 'ClassDeclaration':
      return namesOf(nodeAt(statement, 'id')).map((name) => [name, statement.start]);
    default:
      return [];
  }
}

function statementsOf(node: Node): Node[] | undefined {
  switch (node.type) {
    case 'BlockStatement':
    case 'FunctionBody':
      return nodesIn(node['body']);
    case 'ForStatement':
      return nodesIn(node['init']);
    case 'ForOfStatement':
    case 'ForInStatement':
      return nodesIn(node['left']);
    case 'SwitchStatement':
      return nodesIn(node['cases']).flatMap((switchCase) => nodesIn(switchCase['consequent']));
    default:
      return undefined;
  }
}

/** Returns true if the child is a name but not a reference: `b` in `a.b` and in `{ b: a }`. */
const isPlainName = (node: Node, key: string): boolean =>
  node['computed'] !== true &&
  ((node.type === 'MemberExpression' && key === 'property') ||
    ((node.type === 'Property' || node.type === 'MethodDefinition' || node.type === 'PropertyDefinition') &&
      key === 'key'));

/**
 * Finds functions that use a variable or class that an enclosing function declares further down. Such a function works
 * only if it is called late enough, which nothing guarantees. References to the top level of a module are not
 * reported, because modules are usually loaded completely before their functions are called.
 * @throws {SyntaxError} if the file does not parse
 */
export function findForwardReferences(path: string, source: string): ForwardReference[] {
  const parseResult = parseSync(path, source);
  const problem = parseResult.errors.find((error) => error.severity === 'Error');
  if (problem !== undefined) throw new SyntaxError(`${path}: ${problem.message}`);
  const lineOf = (offset: number): number => source.slice(0, offset).split('\n').length;
  const references: ForwardReference[] = [];

  const checkReference = (name: string, offset: number, from: Scope): void => {
    for (let scope: Scope | null = from; scope !== null; scope = scope.parent) {
      const position = scope.bindings.get(name);
      if (position === undefined) continue;
      if (position > offset && scope.enclosingFunction !== null && scope.enclosingFunction !== from.enclosingFunction)
        references.push({ name, line: lineOf(offset), declaredAt: lineOf(position) });
      return;
    }
  };

  const walk = (node: Node, outer: Scope): void => {
    if (node.type === 'Identifier') return checkReference(String(node['name']), node.start, outer);
    if (node.type.startsWith('TS') && !TYPED_EXPRESSIONS.has(node.type)) return undefined;
    let scope = outer;
    if (FUNCTIONS.has(node.type)) {
      const params = nodesIn(node['params']).flatMap(namesOf);
      scope = { bindings: new Map(params.map((name) => [name, ANYWHERE])), parent: outer, enclosingFunction: node };
    } else if (node.type === 'CatchClause') {
      const params = namesOf(nodeAt(node, 'param'));
      scope = {
        bindings: new Map(params.map((name) => [name, ANYWHERE])),
        parent: outer,
        enclosingFunction: outer.enclosingFunction,
      };
    }
    const statements = statementsOf(node);
    if (statements !== undefined)
      scope = {
        bindings: new Map(statements.flatMap(declarationsIn)),
        parent: scope,
        enclosingFunction: scope.enclosingFunction,
      };
    for (const [key, value] of Object.entries(node)) {
      if (TYPE_KEYS.has(key) || isPlainName(node, key)) continue;
      for (const child of nodesIn(value)) walk(child, scope);
    }
    return undefined;
  };
  for (const statement of parseResult.program.body)
    for (const node of nodesIn(statement)) walk(node, { bindings: new Map(), parent: null, enclosingFunction: null });
  return references;
}
