import { afterAll, describe, expect, it } from 'vitest';
import type { StepOutcome } from '../runs/function-host.ts';
import { createTestSandbox, GENEROUS_TIME_LIMIT_MS, moduleWithProcess } from './harness.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

const sandbox = createTestSandbox();
afterAll(async () => sandbox.close());

const CAP_MB = 128;
const CAP_BYTES = CAP_MB * 1024 * 1024;
/** Time limit for functions that never end. */
const TIME_LIMIT_MS = 500;

/** Variants of other cases, which only the long run executes. */
const LONG_RUN_ONLY: ReadonlySet<string> = new Set([
  'an endless loop at the top of the module',
  'microtasks',
  'a proxy as the return value',
  'endless URL parsing',
  'an endless loop of awaits',
  'an endless async iteration',
  'toJSON in the return value',
  'a getter for the message of the thrown value, at the top of the module',
  'a Map',
  'large arrays',
  'arrays at the top of the module',
  'one growing array',
  'closures',
  'a linked list of objects',
  'array buffers',
  'array buffers with caught allocation errors',
  'a flattened string',
  'stack traces',
  'functions created from source text',
  'Atomics.wait',
  'a resizable buffer',
  'small buffers',
  'collators and segmenters',
  'generators',
  'a thenable that is never settled',
  'a recursive getter',
  'a return value that exceeds the limit in bytes but not in characters',
  'a function as the return value',
  'a BigInt as the return value',
  'a thrown error',
]);
const isSkipped = (name: string): boolean => !IS_THOROUGH_RUN && LONG_RUN_ONLY.has(name);

/**
 * Cases that allocate in ICU, outside the V8 heap. If the system refuses the memory first, ICU throws an error, or
 * the process dies before a measurement near the limit.
 */
const ICU_ALLOCATIONS: ReadonlySet<string> = new Set(['date formatters', 'collators and segmenters']);

type TestCase = readonly [name: string, code: string];

const ENDLESS_CASES: readonly TestCase[] = [
  ['an endless loop', moduleWithProcess('for (;;);')],
  ['an endless loop at the top of the module', 'for (;;);'],
  ['a regular expression', moduleWithProcess('return /(a*)*b/.test("a".repeat(50))')],
  ['microtasks', moduleWithProcess('const f = () => Promise.resolve().then(f); f(); return 1')],
  ['an endless loop of awaits', 'export async function process() { for (;;) await 0 }'],
  [
    'an endless async iteration',
    'export async function process() { for await (const x of (async function* () { for (;;) yield 1 })()); }',
  ],
  ['a getter in the return value', moduleWithProcess('return { get a() { for (;;); } }')],
  ['a proxy as the return value', moduleWithProcess('return new Proxy({}, { ownKeys() { for (;;); } })')],
  ['toJSON in the return value', moduleWithProcess('return { toJSON() { for (;;); } }')],
  ['a getter for the message of the thrown value', moduleWithProcess('throw { get message() { for (;;); } }')],
  ['a getter for the message of the thrown value, at the top of the module', 'throw { get message() { for (;;); } }'],
  ['endless log lines', moduleWithProcess('for (;;) console.log("x".repeat(1e5))')],
  ['endless URL parsing', moduleWithProcess('for (;;) URL.parse("https://a.example/")')],
  ['a BigInt converted to a string', moduleWithProcess('return (3n ** 40000000n).toString().length')],
];

const MEMORY_CASES: readonly TestCase[] = [
  ['a Map', moduleWithProcess('const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })')],
  ['arrays', moduleWithProcess('const a = []; for (;;) a.push(new Array(1000).fill(1))')],
  ['large arrays', moduleWithProcess('const a = []; for (;;) a.push(new Array(1e7).fill(1))')],
  ['arrays at the top of the module', 'const a = []; for (;;) a.push(new Array(1000).fill(1))'],
  ['one growing array', moduleWithProcess('const a = []; for (;;) a.push(1)')],
  ['closures', moduleWithProcess('const a = []; for (;;) a.push(() => a)')],
  ['a linked list of objects', moduleWithProcess('let o = {}; for (let i = 0; ; i++) o = { o, i }')],
  ['array buffers', moduleWithProcess('const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))')],
  [
    'array buffers with caught allocation errors',
    moduleWithProcess('const a = []; for (;;) { try { a.push(new Uint8Array(1e6).fill(1)) } catch {} }'),
  ],
  ['one buffer larger than the cap', moduleWithProcess('return new Uint8Array(4e9).fill(1).length')],
  ['small buffers', moduleWithProcess('const a = []; for (;;) a.push(new Uint8Array(60))')],
  ['a flattened string', moduleWithProcess('let s = "x".repeat(2 ** 28); return s.charCodeAt(5) + [...s].length')],
  ['a large return value', moduleWithProcess('return new Array(1e7).fill(1)')],
  [
    'date formatters',
    moduleWithProcess('const a = []; for (;;) a.push(new Intl.DateTimeFormat("de", { dateStyle: "full" }))'),
  ],
  [
    'collators and segmenters',
    moduleWithProcess('const a = []; for (;;) a.push(new Intl.Collator("de"), new Intl.Segmenter("th"))'),
  ],
  ['generators', moduleWithProcess('const a = []; function* g() { yield* g() } for (;;) a.push(g())')],
  [
    'stack traces',
    moduleWithProcess(
      'Error.stackTraceLimit = Infinity; const a = []; const f = () => { a.push(new Error("x")); f() }; for (;;) try { f() } catch {}',
    ),
  ],
  ['an error with a large message', moduleWithProcess('throw new Error("x".repeat(2e8))')],
];

const MEMORY_OR_TIME_CASES: readonly TestCase[] = [
  ['BigInt', moduleWithProcess('let b = 2n; for (;;) b = b * b')],
  [
    'strings',
    moduleWithProcess('const a = []; for (let i = 0; ; i++) a.push(("x".repeat(1e6) + i).split("").join(""))'),
  ],
  [
    'microtasks that double in number',
    moduleWithProcess('const f = () => { Promise.resolve().then(f); Promise.resolve().then(f) }; f(); return 1'),
  ],
  [
    'functions created from source text',
    moduleWithProcess('const a = []; for (let i = 0; ; i++) a.push(new Function("return " + i))'),
  ],
  ['regular expressions with large stacks', moduleWithProcess('for (;;) /(?:(a)|b)*c/.test("ab".repeat(5e6))')],
];

const ERROR_CASES: readonly (readonly [name: string, code: string, outcome: StepOutcome, message: RegExp])[] = [
  [
    'WebAssembly.Memory',
    moduleWithProcess('return new WebAssembly.Memory({ initial: 60000 })'),
    'error',
    /WebAssembly is not defined/,
  ],
  [
    'a SharedArrayBuffer',
    moduleWithProcess('return new SharedArrayBuffer(1e9)'),
    'error',
    /SharedArrayBuffer is not defined/,
  ],
  ['Atomics.wait', moduleWithProcess('Atomics.wait(new Int32Array(8), 0, 0)'), 'error', /Atomics is not defined/],
  [
    'a resizable buffer',
    moduleWithProcess('const b = new ArrayBuffer(8, { maxByteLength: 2 ** 36 }); b.resize(2 ** 34)'),
    'error',
    /resize is not a function/,
  ],
  ['a promise that is never settled', moduleWithProcess('return new Promise(() => {})'), 'error', /never settles/],
  ['a thenable that is never settled', moduleWithProcess('return { then() {} }'), 'error', /never settles/],
  ['deep recursion', moduleWithProcess('const f = () => f() + 1; return f()'), 'error', /Maximum call stack/],
  [
    'a recursive getter',
    moduleWithProcess('const o = { get a() { return this.a } }; return o.a'),
    'error',
    /Maximum call stack/,
  ],
  ['a string that doubles', moduleWithProcess('let s = "x"; for (;;) s += s'), 'error', /Invalid string length/],
  [
    'a deeply nested return value',
    moduleWithProcess('let a = []; for (let i = 0; i < 2e5; i++) a = [a]; return a'),
    'output',
    /JSON/,
  ],
  ['a huge return value', moduleWithProcess('return "x".repeat(2e7)'), 'output', /more data than/],
  [
    'a return value that exceeds the limit in bytes but not in characters',
    moduleWithProcess('return "\\u00e9".repeat(9e6)'),
    'output',
    /more data than/,
  ],
  ['a cyclic return value', moduleWithProcess('const a = {}; a.a = a; return a'), 'output', /circular/],
  ['no return value', moduleWithProcess(''), 'output', /nothing/],
  ['a function as the return value', moduleWithProcess('return () => 1'), 'output', /nothing/],
  ['a BigInt as the return value', moduleWithProcess('return 1n'), 'output', /BigInt/],
  ['a thrown error', moduleWithProcess('throw new TypeError("no such thing")'), 'error', /TypeError: no such thing/],
  [
    'an unhandled rejection',
    moduleWithProcess('Promise.reject(new Error("forgotten")); return 1'),
    'error',
    /forgotten/,
  ],
  [
    'a message getter that throws',
    moduleWithProcess('throw { get message() { throw this } }'),
    'error',
    /cannot be shown/,
  ],
  [
    'too many scratch files',
    moduleWithProcess('for (let i = 0; ; i++) scratch.write("a" + i, "x")'),
    'error',
    /1000 files/,
  ],
];

// Sequential, because concurrent runs would slow each other down.
describe('an endless function is ended at its time limit', () => {
  it.for(ENDLESS_CASES)('%s', async ([name, code], { skip }) => {
    skip(isSkipped(name));
    const { step, report, elapsedMs } = await sandbox.run(code, { memoryMb: CAP_MB, timeoutMs: TIME_LIMIT_MS });
    expect(step.outcome).toBe('time');
    expect(elapsedMs).toBeGreaterThanOrEqual(TIME_LIMIT_MS - 5);
    expect(report.peakMemoryBytes).toBeLessThan(CAP_BYTES * 1.25);
  });
});

describe.concurrent('a function that fills memory is ended at its memory limit', () => {
  it.for(MEMORY_CASES)('%s', async ([name, code], { skip }) => {
    skip(isSkipped(name));
    const { step, report } = await sandbox.run(code, { memoryMb: CAP_MB, timeoutMs: GENEROUS_TIME_LIMIT_MS });
    expect(ICU_ALLOCATIONS.has(name) ? ['memory', 'error', 'crashed'] : ['memory']).toContain(step.outcome);
    expect(report.peakMemoryBytes).toBeLessThan(CAP_BYTES * 1.25);
  });
});

describe('a function that uses up memory and time is ended at the first limit', () => {
  it.for(MEMORY_OR_TIME_CASES)('%s', async ([name, code], { skip }) => {
    skip(isSkipped(name));
    const { step, report } = await sandbox.run(code, { memoryMb: CAP_MB, timeoutMs: TIME_LIMIT_MS });
    expect(['memory', 'time']).toContain(step.outcome);
    expect(report.peakMemoryBytes).toBeLessThan(CAP_BYTES * 1.25);
  });
});

describe.concurrent('errors, unsupported features and invalid return values fail the step', () => {
  it.for(ERROR_CASES)('%s', async ([name, code, outcome, message], { skip }) => {
    skip(isSkipped(name));
    const { step, report } = await sandbox.run(code, { memoryMb: CAP_MB, timeoutMs: GENEROUS_TIME_LIMIT_MS });
    expect(step.outcome).toBe(outcome);
    if (step.outcome !== 'done') expect(step.message).toMatch(message);
    expect(report.peakMemoryBytes).toBeLessThan(CAP_BYTES * 1.25);
  });
});

describe('the log', () => {
  it('contains what the function printed before it was ended', async () => {
    const code = moduleWithProcess('console.log("before"); const all = []; for (;;) all.push(new Array(1e5).fill(1));');
    const { step, report } = await sandbox.run(code, { memoryMb: CAP_MB, timeoutMs: GENEROUS_TIME_LIMIT_MS });
    expect(step.outcome).toBe('memory');
    expect(report.log).toEqual(['before']);
  });

  it('has at most a thousand lines, including a note if there were more', async () => {
    const { report } = await sandbox.run(moduleWithProcess('for (let i = 0; i < 5000; i++) console.log(i); return 1'));
    expect(report.log).toHaveLength(1000);
    expect(report.log.at(-1)).toBe('(the log is full)');
  });

  it('has at most 64 kB', async () => {
    const { report } = await sandbox.run(
      moduleWithProcess('for (let i = 0; i < 200; i++) console.warn("é".repeat(1e6)); return 1'),
    );
    expect(Buffer.byteLength(report.log.join('\n'))).toBeLessThanOrEqual(64_000);
    expect(report.log.at(-1)).toBe('(the log is full)');
  });
});
