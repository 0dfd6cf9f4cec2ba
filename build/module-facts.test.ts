import { describe, expect, it } from 'vitest';
import { parseModule } from './module-facts.ts';

const importsOf = (source: string, file = 'a.ts') =>
  parseModule(file, source).imports.map(({ specifier, kind }) => `${kind} ${specifier ?? '<computed>'}`);

describe('reading the imports of a file', () => {
  it('finds static, side-effect and dynamic imports, re-exports and require calls', () => {
    expect(
      importsOf(`
        import a from 'one';
        import * as b from "two";
        import { c } from './three.ts';
        import './four.css?inline';
        export { d } from 'five';
        export * from 'six';
        const e = await import('seven');
        const f = await import(\`eight\`);
        const g = require('nine');
        import h = require('ten');
      `),
    ).toEqual([
      'value one',
      'value two',
      'value ./three.ts',
      'value ./four.css',
      'value five',
      'value six',
      'value seven',
      'value eight',
      'value nine',
      'value ten',
    ]);
  });

  it('classifies import type, export type and import() in a type as types', () => {
    expect(
      importsOf(`
        import type { A } from 'one';
        import type * as B from 'two';
        export type { C } from 'three';
        export type * from 'four';
        type D = import('five').D;
        const e: typeof import('six') = f;
      `),
    ).toEqual(['type one', 'type two', 'type three', 'type four', 'type five', 'type six']);
  });

  it('classifies `import { type A }` as a value and suggests import type', () => {
    const [typesOnly] = parseModule('a.ts', `import { type A, type B } from 'one';`).imports;
    expect(typesOnly).toMatchObject({ kind: 'value', couldBeType: true });
    const [mixed] = parseModule('a.ts', `import { type A, b } from 'one';`).imports;
    expect(mixed).toMatchObject({ kind: 'value', couldBeType: false });
  });

  it('ignores strings, comments, templates, regular expressions and JSX text', () => {
    expect(
      importsOf(
        `
        // import a from 'comment';
        /* import a from 'block'; */
        const a = "import a from 'string'";
        const b = \`import a from 'template' \${"import('x')"}\`;
        const c = /import a from 'regexp'/;
        const d = <p>import a from 'jsx'; import('y')</p>;
        `,
        'a.tsx',
      ),
    ).toEqual([]);
  });

  it('finds an import inside a template substitution', () => {
    expect(importsOf("const a = `${await import('hole')}`;")).toEqual(['value hole']);
  });

  it('reports computed targets as null', () => {
    expect(importsOf('await import(name);')).toEqual(['value <computed>']);
  });

  it('reports the first line of an import', () => {
    const source = `const a = '😀';\r\n\r\nimport {\n  b,\n} from 'one';\n`;
    expect(parseModule('a.ts', source).imports).toMatchObject([{ line: 3 }]);
  });

  it('finds default exports, including those in export lists and re-exports', () => {
    expect(parseModule('a.ts', `export default 1;`).defaultExportLines).toEqual([1]);
    expect(parseModule('a.ts', `const a = 1;\nexport { a as default };`).defaultExportLines).toEqual([2]);
    expect(parseModule('a.ts', `export { default } from './b.ts';`).defaultExportLines).toEqual([1]);
    expect(parseModule('a.ts', `export { default as b } from './b.ts';`).defaultExportLines).toEqual([]);
  });

  it('counts no line after a final line break', () => {
    expect(parseModule('a.ts', '').lines).toBe(0);
    expect(parseModule('a.ts', 'a;\nb;\n').lines).toBe(2);
    expect(parseModule('a.ts', 'a;\nb;').lines).toBe(2);
  });

  it('throws with the file name if a file does not parse', () => {
    expect(() => parseModule('broken.ts', 'import {')).toThrow(/^broken\.ts: /);
  });
});
