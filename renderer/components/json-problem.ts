import { MAX_JSON_DEPTH } from '../../server/wire/limits.ts';
import { m } from '../messages/texts.ts';

/** Finds the first place where a text stops being the JSON that the PDA takes, and says what is wrong there in plain words. */

interface JsonProblem {
  /** Offset in the text. */
  at: number;
  line: number;
  column: number;
  problem: string;
}

const words = m.data.json;

class Found extends Error {
  readonly at: number;
  constructor(at: number, problem: string) {
    super(problem);
    this.at = at;
  }
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDISH = /[^\s,:{}[\]"]+/y;

class Scanner {
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  whole(): void {
    this.space();
    if (this.at === this.text.length) throw new Found(0, words.empty);
    this.value(0);
    this.space();
    if (this.at < this.text.length) throw new Found(this.at, words.afterEnd);
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  private space(): void {
    this.take(SPACE);
  }

  private next(): string {
    const char = this.text[this.at];
    if (char === undefined) throw new Found(this.text.length, words.unexpectedEnd);
    return char;
  }

  private value(depth: number): void {
    if (depth > MAX_JSON_DEPTH) throw new Found(this.at, words.tooDeep);
    const char = this.next();
    if (char === '{') this.object(depth);
    else if (char === '[') this.array(depth);
    else if (char === '"') this.string();
    else if (char === "'") throw new Found(this.at, words.singleQuotes);
    else this.scalar();
  }

  private scalar(): void {
    const start = this.at;
    const word = this.take(WORDISH);
    if (word === 'true' || word === 'false' || word === 'null') return;
    this.at = start;
    const digits = this.take(NUMBER);
    if (digits !== '' && digits === word) {
      if (!Number.isFinite(Number(digits))) throw new Found(start, words.tooLarge);
      return;
    }
    throw new Found(start, /^[-+.\d]/.test(word) ? words.number : words.value);
  }

  private string(): string {
    const start = this.at;
    this.at += 1;
    for (;;) {
      const char = this.text[this.at];
      if (char === undefined) throw new Found(start, words.unclosedText);
      if (char === '"') break;
      if (char < ' ')
        throw new Found(char === '\n' ? start : this.at, char === '\n' ? words.unclosedText : words.control);
      if (char === '\\') {
        if (!/^\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/.test(this.text.slice(this.at, this.at + 6))) {
          throw new Found(this.at, words.escape);
        }
        this.at += 1;
      }
      this.at += 1;
    }
    this.at += 1;
    return JSON.parse(this.text.slice(start, this.at)) as string;
  }

  private object(depth: number): void {
    this.at += 1;
    const names = new Set<string>();
    this.space();
    if (this.next() === '}') {
      this.at += 1;
      return;
    }
    for (;;) {
      this.space();
      const start = this.at;
      const char = this.next();
      if (char !== '"') throw new Found(start, char === "'" ? words.singleQuotes : words.key);
      const name = this.string();
      if (names.has(name)) throw new Found(start, words.duplicate(name));
      names.add(name);
      this.space();
      if (this.next() !== ':') throw new Found(this.at, words.colon);
      this.at += 1;
      this.space();
      this.value(depth + 1);
      if (this.separator('}', words.commaOrBrace)) return;
    }
  }

  private array(depth: number): void {
    this.at += 1;
    this.space();
    if (this.next() === ']') {
      this.at += 1;
      return;
    }
    for (;;) {
      this.space();
      this.value(depth + 1);
      if (this.separator(']', words.commaOrBracket)) return;
    }
  }

  /** Takes the comma or the end; true when it was the end. */
  private separator(end: string, missing: string): boolean {
    // A missing comma is missed where the value ends, not at the start of the next line.
    const after = this.at;
    this.space();
    const char = this.next();
    if (char === end) {
      this.at += 1;
      return true;
    }
    if (char !== ',') throw new Found(after, missing);
    const comma = this.at;
    this.at += 1;
    this.space();
    if (this.next() === end) throw new Found(comma, words.trailingComma);
    return false;
  }
}

export function jsonProblem(text: string): JsonProblem | undefined {
  try {
    new Scanner(text).whole();
    return undefined;
  } catch (error) {
    if (!(error instanceof Found)) throw error;
    const before = text.slice(0, error.at).split('\n');
    return { at: error.at, line: before.length, column: (before.at(-1)?.length ?? 0) + 1, problem: error.message };
  }
}
