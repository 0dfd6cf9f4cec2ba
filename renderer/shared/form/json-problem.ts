import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';
import { MAX_JSON_DEPTH } from '../../../server/wire/limits.ts';
import { m } from '../messages/texts.ts';

// Finds the first position at which a text is not JSON, repeats a name in an object, or exceeds a limit of the PDA.

interface JsonProblem {
  offset: number;
  line: number;
  column: number;
  problem: string;
}

const texts = m.data.json;

class JsonSyntaxError extends Error {
  readonly offset: number;
  constructor(offset: number, problem: string) {
    super(problem);
    this.offset = offset;
  }
}

/** A token other than a string or punctuation, such as a number. */
const WORD = /[^\s,:{}[\]"]+/y;
/** A string up to its end or its first invalid character. */
const VALID_STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*/uy;

function matchAt(pattern: RegExp, text: string, offset: number): string {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0] ?? '';
}

/**
 * Returns a visitor that throws at the first problem. jsonc-parser reports most problems as an invalid symbol, so the
 * message depends on what the parser expects next.
 */
function createVisitor(text: string): JSONVisitor {
  /** Member names of each open object; null for an array. */
  const openNames: (Set<string> | null)[] = [];
  let expected: 'name' | 'colon' | 'value' | 'separator' = 'value';
  let valueEnd = 0;
  /** Offset of the last comma, until a name or a value follows it. */
  let pendingComma: number | undefined;

  const openContainer = (offset: number, names: Set<string> | null): void => {
    if (openNames.length >= MAX_JSON_DEPTH) throw new JsonSyntaxError(offset, texts.tooDeep);
    openNames.push(names);
    pendingComma = undefined;
  };
  const endValue = (offset: number, length: number): void => {
    expected = 'separator';
    valueEnd = offset + length;
  };
  const close = (offset: number, length: number): void => {
    openNames.pop();
    endValue(offset, length);
  };

  return {
    onObjectBegin: (offset) => {
      openContainer(offset, new Set());
      expected = 'name';
    },
    onArrayBegin: (offset) => openContainer(offset, null),
    onObjectEnd: close,
    onArrayEnd: close,
    onObjectProperty: (name, offset) => {
      const names = openNames.at(-1);
      if (names?.has(name) === true) throw new JsonSyntaxError(offset, texts.duplicate(name));
      names?.add(name);
      expected = 'colon';
      pendingComma = undefined;
    },
    onLiteralValue: (value: unknown, offset, length) => {
      pendingComma = undefined;
      if (typeof value === 'number') {
        if (matchAt(WORD, text, offset).length > length) throw new JsonSyntaxError(offset, texts.number);
        if (!Number.isFinite(value)) throw new JsonSyntaxError(offset, texts.tooLarge);
      }
      endValue(offset, length);
    },
    onSeparator: (character, offset) => {
      if (character === ',') pendingComma = offset;
      expected = character === ',' && openNames.at(-1) instanceof Set ? 'name' : 'value';
    },
    onError: (code, offset) => {
      const char = text[offset];
      const name = printParseErrorCode(code);
      if (name === 'UnexpectedEndOfString') throw new JsonSyntaxError(offset, texts.unclosedText);
      if (/^Invalid(?:Unicode|EscapeCharacter|Character)$/.test(name)) {
        const errorOffset = offset + matchAt(VALID_STRING, text, offset).length;
        throw new JsonSyntaxError(errorOffset, text[errorOffset] === '\\' ? texts.escape : texts.control);
      }
      if (char === undefined) throw new JsonSyntaxError(offset, texts.unexpectedEnd);
      if (expected === 'separator') {
        if (openNames.length === 0) throw new JsonSyntaxError(offset, texts.afterEnd);
        // A missing comma is reported at the end of the value, not at the start of the next line.
        throw new JsonSyntaxError(
          valueEnd,
          openNames.at(-1) instanceof Set ? texts.commaOrBrace : texts.commaOrBracket,
        );
      }
      if (expected === 'colon') throw new JsonSyntaxError(offset, texts.colon);
      if (pendingComma !== undefined && (char === '}' || char === ']'))
        throw new JsonSyntaxError(pendingComma, texts.trailingComma);
      if (char === "'") throw new JsonSyntaxError(offset, texts.singleQuotes);
      if (expected === 'name') throw new JsonSyntaxError(offset, texts.key);
      throw new JsonSyntaxError(offset, /[-+.\d]/.test(char) ? texts.number : texts.value);
    },
  };
}

/**
 * Returns undefined if there is no problem. Does not report the name `__proto__` or unpaired surrogates, although the
 * PDA refuses them.
 */
export function findJsonProblem(text: string): JsonProblem | undefined {
  try {
    if (text.trim() === '') throw new JsonSyntaxError(0, texts.empty);
    visit(text, createVisitor(text), { disallowComments: true, allowTrailingComma: false });
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const lines = text.slice(0, error.offset).split('\n');
    return {
      offset: error.offset,
      line: lines.length,
      column: (lines.at(-1)?.length ?? 0) + 1,
      problem: error.message,
    };
  }
}
