import { MAX_JSON_DEPTH } from '../../wire/limits.ts';
import { findValueEnd, forEachMember } from './members.ts';

// Selects fields of JSON texts that were validated and minified when they were stored. Values are copied unchanged.

/**
 * Selects fields by dotted paths; the empty path is the whole value. A name with dots takes precedence over a nested
 * member.
 */
export type Projection = {
  values(text: string): (string | undefined)[];
  /**
   * Returns an object with only the selected members, as JSON text: `{}` if the value is not an object. If the empty
   * path is selected, returns the whole value.
   */
  select(text: string): string;
};

/**
 * `exact`: indexes of paths by the part that remains at this node, which may be a name with dots. `inner`: nodes of
 * nested objects by name.
 */
type PathNode = { exact: Map<string, number[]>; inner: Map<string, PathNode> };
type FoundValue = { names: readonly string[]; text: string };
type Selection = Map<string, string | Selection>;

const createNode = (): PathNode => ({ exact: new Map(), inner: new Map() });

const addPath = (root: PathNode, path: string, index: number): void => {
  let node = root;
  let remainingPath = path;
  for (let depth = 0; depth < MAX_JSON_DEPTH; depth += 1) {
    node.exact.set(remainingPath, [...(node.exact.get(remainingPath) ?? []), index]);
    const dot = remainingPath.indexOf('.');
    if (dot === -1) return;
    const name = remainingPath.slice(0, dot);
    const inner = node.inner.get(name) ?? createNode();
    node.inner.set(name, inner);
    node = inner;
    remainingPath = remainingPath.slice(dot + 1);
  }
};

const addMember = (selection: Selection, names: readonly string[], text: string): void => {
  const [name, ...innerNames] = names;
  if (name === undefined) return;
  const existing = selection.get(name);
  if (innerNames.length === 0) selection.set(name, text);
  else if (typeof existing !== 'string') {
    const inner: Selection = existing ?? new Map<string, string | Selection>();
    selection.set(name, inner);
    addMember(inner, innerNames, text);
  }
};

const toJson = (selection: Selection): string => {
  const members = Array.from(selection, ([name, value]) => {
    const text = typeof value === 'string' ? value : toJson(value);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${members.join(',')}}`;
};

export const createProjection = (paths: readonly string[]): Projection => {
  const root = createNode();
  for (const [index, path] of paths.entries()) if (path !== '') addPath(root, path, index);
  const selectsWholeValue = paths.includes('');

  const findValues = (text: string): (FoundValue | undefined)[] => {
    const foundValues: (FoundValue | undefined)[] = paths.map(() => undefined);
    const walk = (offset: number, node: PathNode, outerNames: readonly string[]): void => {
      forEachMember(text, offset, (name, start) => {
        const end = findValueEnd(text, start);
        const names = [...outerNames, name];
        for (const index of node.exact.get(name) ?? []) {
          const previous = foundValues[index];
          if (previous === undefined || names.length < previous.names.length)
            foundValues[index] = { names, text: text.slice(start, end) };
        }
        const inner = node.inner.get(name);
        if (inner !== undefined && text[start] === '{') walk(start, inner, names);
        return end;
      });
    };
    if (text.startsWith('{')) walk(0, root, []);
    return foundValues;
  };

  return {
    values: (text) => findValues(text).map((value, index) => (paths[index] === '' ? text : value?.text)),
    select(text) {
      if (selectsWholeValue) return text;
      const selection: Selection = new Map();
      for (const value of findValues(text)) if (value !== undefined) addMember(selection, value.names, value.text);
      return toJson(selection);
    },
  };
};
