import { parseSync } from 'vite';

/** A function that names a variable which an enclosing function declares further down. */
export type ForwardReference = {
  readonly name: string;
  /** Lines of the reference and of the declaration, counted from 1. */
  readonly line: number;
  readonly declaredAt: number;
};

type Node = { readonly type: string; readonly start: number } & Readonly<Record<string, unknown>>;

/** Names and where they are declared; -1: usable everywhere in the scope (parameters, function declarations). */
type Scope = {
  readonly bindings: Map<string, number>;
  readonly parent: Scope | null;
  /** The innermost function around the scope; null in the module itself. */
  readonly owner: Node | null;
};

const ANYWHERE = -1;
const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration']);
/** The parts of a node that hold types. They are erased, so they cannot refer to a value too early. */
const TYPE_KEYS = new Set([
  'typeAnnotation',
  'returnType',
  'typeArguments',
  'typeParameters',
  'superTypeArguments',
  'implements',
]);
/** Expressions of TypeScript that hold a value beside their type. */
const TYPED_EXPRESSIONS = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const nodesIn = (value: unknown): Node[] =>
  Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [];

const nodeAt = (node: Node, key: string): Node | undefined => nodesIn(node[key])[0];

/** The names that a pattern declares. */
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

/** What a statement declares in the scope that it stands in. */
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

/** The statements whose declarations a node opens a scope for; undefined: it opens none. */
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
      return nodesIn(node['cases']).flatMap((one) => nodesIn(one['consequent']));
    default:
      return undefined;
  }
}

/** Whether the child is a name that stands for itself: `b` of `a.b` and of `{ b: a }`. */
const isPlainName = (node: Node, key: string): boolean =>
  node['computed'] !== true &&
  ((node.type === 'MemberExpression' && key === 'property') ||
    ((node.type === 'Property' || node.type === 'MethodDefinition' || node.type === 'PropertyDefinition') &&
      key === 'key'));

/**
 * Finds functions that name a `const` or `let` of an enclosing function which is declared further down. Such a function works only when it is called
 * late enough, and nothing says when that is. References at the top level of a module are left alone: they are complete before anything is called.
 *
 * @throws {SyntaxError} when the file does not parse
 */
export function findForwardReferences(path: string, source: string): ForwardReference[] {
  const parsed = parseSync(path, source);
  const problem = parsed.errors.find((error) => error.severity === 'Error');
  if (problem !== undefined) throw new SyntaxError(`${path}: ${problem.message}`);
  const lineOf = (offset: number): number => source.slice(0, offset).split('\n').length;
  const found: ForwardReference[] = [];

  const refer = (name: string, at: number, from: Scope): void => {
    for (let scope: Scope | null = from; scope !== null; scope = scope.parent) {
      const declared = scope.bindings.get(name);
      if (declared === undefined) continue;
      if (declared > at && scope.owner !== null && scope.owner !== from.owner)
        found.push({ name, line: lineOf(at), declaredAt: lineOf(declared) });
      return;
    }
  };

  const walk = (node: Node, outer: Scope): void => {
    if (node.type === 'Identifier') return refer(String(node['name']), node.start, outer);
    if (node.type.startsWith('TS') && !TYPED_EXPRESSIONS.has(node.type)) return undefined;
    let scope = outer;
    if (FUNCTIONS.has(node.type)) {
      const params = nodesIn(node['params']).flatMap(namesOf);
      scope = { bindings: new Map(params.map((name) => [name, ANYWHERE])), parent: outer, owner: node };
    } else if (node.type === 'CatchClause') {
      const params = namesOf(nodeAt(node, 'param'));
      scope = { bindings: new Map(params.map((name) => [name, ANYWHERE])), parent: outer, owner: outer.owner };
    }
    const statements = statementsOf(node);
    if (statements !== undefined)
      scope = { bindings: new Map(statements.flatMap(declarationsIn)), parent: scope, owner: scope.owner };
    for (const [key, value] of Object.entries(node)) {
      if (TYPE_KEYS.has(key) || isPlainName(node, key)) continue;
      for (const child of nodesIn(value)) walk(child, scope);
    }
    return undefined;
  };
  for (const statement of parsed.program.body)
    for (const node of nodesIn(statement)) walk(node, { bindings: new Map(), parent: null, owner: null });
  return found;
}
