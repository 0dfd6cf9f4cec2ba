/** As much of Markdown as the documentation uses, read into blocks; nothing of it is ever HTML. */

export interface Inline {
  kind: 'text' | 'code' | 'strong' | 'link';
  text: string;
  /** Only of what leads to the web: the other files of the documentation are not here. */
  to?: string;
}

export type Block =
  | { kind: 'heading'; level: number; text: Inline[] }
  | { kind: 'paragraph'; text: Inline[] }
  | { kind: 'code'; text: string }
  | { kind: 'list'; items: Inline[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] };

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g;

export function inlineOf(text: string): Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > end) parts.push({ kind: 'text', text: text.slice(end, match.index) });
    const [whole, code, strong, label = '', to = ''] = match;
    if (code !== undefined) parts.push({ kind: 'code', text: code });
    else if (strong !== undefined) parts.push({ kind: 'strong', text: strong });
    else if (/^https?:/.test(to)) parts.push({ kind: 'link', text: label.replaceAll('`', ''), to });
    else parts.push({ kind: 'code', text: label.replaceAll('`', '') });
    end = match.index + whole.length;
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) });
  return parts;
}

function cellsOf(line: string): Inline[][] {
  return line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split('|')
    .map((cell) => inlineOf(cell.trim()));
}

const isTable = (line: string): boolean => line.startsWith('|');
const isItem = (line: string): boolean => /^[-*] /.test(line);

/** Lines from `at` on that belong together, and where the next ones begin. */
function taken(lines: readonly string[], at: number, belongs: (line: string) => boolean): string[] {
  let end = at;
  while (end < lines.length && belongs(lines[end] ?? '')) end += 1;
  return lines.slice(at, end);
}

export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split(/\r?\n/);
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? '';
    const heading = /^(#{1,6}) (.*)$/.exec(line);
    if (line.trim() === '') at += 1;
    else if (line.startsWith('```')) {
      const code = taken(lines, at + 1, (one) => !one.startsWith('```'));
      blocks.push({ kind: 'code', text: code.join('\n') });
      at += code.length + 2;
    } else if (heading !== null) {
      blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, text: inlineOf(heading[2] ?? '') });
      at += 1;
    } else if (isTable(line)) {
      const [head = '', , ...rows] = taken(lines, at, isTable);
      blocks.push({ kind: 'table', head: cellsOf(head), rows: rows.map(cellsOf) });
      at += rows.length + 2;
    } else if (isItem(line)) {
      const some = taken(lines, at, (one) => isItem(one) || /^\s+\S/.test(one));
      const items: string[] = [];
      for (const one of some) {
        if (isItem(one)) items.push(one.slice(2));
        else items.push(`${items.pop() ?? ''} ${one.trim()}`);
      }
      blocks.push({ kind: 'list', items: items.map(inlineOf) });
      at += some.length;
    } else {
      const some = taken(
        lines,
        at + 1,
        (one) => one.trim() !== '' && !one.startsWith('```') && !one.startsWith('#') && !isTable(one) && !isItem(one),
      );
      blocks.push({ kind: 'paragraph', text: inlineOf([line, ...some].join(' ')) });
      at += some.length + 1;
    }
  }
  return blocks;
}
