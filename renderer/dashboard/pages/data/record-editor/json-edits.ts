import { type Node, applyEdits, createScanner, findNodeAtLocation, parseTree } from 'jsonc-parser';

// Edits JSON text. Values that an edit does not touch keep their source text, so that numbers such as 1.0 or
// 12345678901234567890 survive.

export type JsonNode = Node;
/** Member names and array indexes, from the root to a value. */
export type JsonPath = readonly (string | number)[];

const INDENT = '  ';

const indentOf = (depth: number): string => INDENT.repeat(depth);

/** The text must have no syntax errors. @throws {Error} if it contains no value */
export function parseJson(text: string): JsonNode {
  const root = parseTree(text);
  if (root === undefined) throw new Error('The text contains no JSON value.');
  return root;
}

export const nodeAt = (root: JsonNode, path: JsonPath): JsonNode | undefined => findNodeAtLocation(root, [...path]);

export const nodeText = (text: string, { offset, length }: JsonNode): string => text.slice(offset, offset + length);

/** Returns an empty list for a value that is not an object. */
export function membersOf({ type, children = [] }: JsonNode): { name: string; value: JsonNode }[] {
  if (type !== 'object') return [];
  return children.flatMap(({ children: [name, value] = [] }) =>
    name === undefined || value === undefined ? [] : [{ name: String(name.value), value }],
  );
}

const isOpening = (token: string): boolean => token === '{' || token === '[';
const isClosing = (token: string): boolean => token === '}' || token === ']';

/** Indents like `JSON.stringify`, but keeps the source text of each name and value. */
export function indentJson(text: string): string {
  const scanner = createScanner(text, true);
  const parts: string[] = [];
  let depth = 0;
  let previousToken = '';
  for (;;) {
    scanner.scan();
    const token = text.slice(scanner.getTokenOffset(), scanner.getTokenOffset() + scanner.getTokenLength());
    if (token === '') return parts.join('');
    if (isClosing(token)) {
      depth -= 1;
      if (!isOpening(previousToken)) parts.push('\n', indentOf(depth));
    } else if (isOpening(previousToken) || previousToken === ',') parts.push('\n', indentOf(depth));
    else if (previousToken === ':') parts.push(' ');
    parts.push(token);
    if (isOpening(token)) depth += 1;
    previousToken = token;
  }
}

const replaceRange = (text: string, offset: number, length: number, content: string): string =>
  applyEdits(text, [{ offset, length, content }]);

/** @param depth number of enclosing arrays and objects */
export function arrayText(elements: readonly string[], depth: number): string {
  if (elements.length === 0) return '[]';
  const separator = `\n${indentOf(depth + 1)}`;
  return `[${separator}${elements.join(`,${separator}`)}\n${indentOf(depth)}]`;
}

const objectText = (member: string, depth: number): string => `{\n${indentOf(depth + 1)}${member}\n${indentOf(depth)}}`;

/** Returns the text of a member, with nested objects for the rest of the path. */
function memberText([name, ...inner]: JsonPath, valueText: string, depth: number): string {
  const value = inner.length === 0 ? valueText : objectText(memberText(inner, valueText, depth + 1), depth);
  return `${JSON.stringify(String(name))}: ${value}`;
}

/**
 * Replaces the value at the path, or adds it as the last member of its object. Creates missing parent objects.
 * @param valueText JSON
 * @throws {Error} if the text contains no value, or if the innermost existing value on the path is not an object
 */
export function setValue(text: string, path: JsonPath, valueText: string): string {
  const root = parseJson(text);
  const existing = nodeAt(root, path);
  if (existing !== undefined) return replaceRange(text, existing.offset, existing.length, valueText);
  let depth = path.length - 1;
  while (depth > 0 && nodeAt(root, path.slice(0, depth)) === undefined) depth -= 1;
  const parent = nodeAt(root, path.slice(0, depth));
  if (parent?.type !== 'object') throw new Error('Only objects have members.');
  const member = memberText(path.slice(depth), valueText, depth + 1);
  const lastMember = parent.children?.at(-1);
  return lastMember === undefined
    ? replaceRange(text, parent.offset, parent.length, objectText(member, depth))
    : replaceRange(text, lastMember.offset + lastMember.length, 0, `,\n${indentOf(depth + 1)}${member}`);
}

/** Returns the text unchanged if there is no such member. @throws {Error} if the text contains no value */
export function removeMember(text: string, path: JsonPath): string {
  const member = nodeAt(parseJson(text), path)?.parent;
  const parent = member?.parent;
  if (member?.type !== 'property' || parent === undefined) return text;
  const siblings = parent.children ?? [];
  const index = siblings.indexOf(member);
  const previous = siblings[index - 1];
  const next = siblings[index + 1];
  if (previous !== undefined) {
    const end = previous.offset + previous.length;
    return replaceRange(text, end, member.offset + member.length - end, '');
  }
  return next === undefined
    ? replaceRange(text, parent.offset, parent.length, '{}')
    : replaceRange(text, member.offset, next.offset - member.offset, '');
}
