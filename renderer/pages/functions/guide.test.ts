import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { blocksOf, inlineOf } from './guide.ts';

describe('the guide', () => {
  it('is read into blocks', () => {
    const text = [
      '# Title',
      '',
      'One',
      'line.',
      '- a',
      '  b',
      '- c',
      '```js',
      '# no heading',
      '```',
      '| k | v |',
      '|---|---|',
      '| 1 | `2` |',
    ];
    expect(blocksOf(text.join('\n'))).toEqual([
      { kind: 'heading', level: 1, text: [{ kind: 'text', text: 'Title' }] },
      { kind: 'paragraph', text: [{ kind: 'text', text: 'One line.' }] },
      { kind: 'list', items: [[{ kind: 'text', text: 'a b' }], [{ kind: 'text', text: 'c' }]] },
      { kind: 'code', text: '# no heading' },
      {
        kind: 'table',
        head: [[{ kind: 'text', text: 'k' }], [{ kind: 'text', text: 'v' }]],
        rows: [[[{ kind: 'text', text: '1' }], [{ kind: 'code', text: '2' }]]],
      },
    ]);
  });

  it('links to the web, and nowhere else', () => {
    expect(inlineOf('a [b](https://b.example/) [`c`](../c) [d](javascript:alert(1))')).toEqual([
      { kind: 'text', text: 'a ' },
      { kind: 'link', text: 'b', to: 'https://b.example/' },
      { kind: 'text', text: ' ' },
      { kind: 'code', text: 'c' },
      { kind: 'text', text: ' ' },
      { kind: 'code', text: 'd' },
      { kind: 'text', text: ')' },
    ]);
  });

  it('ends, whatever the text', () => {
    for (const text of ['```', '|', '-', '#', '####### x', '| a |', '```\nopen', '- \n\n- ']) blocksOf(text);
  });

  it('reads all of the documentation: no sign of Markdown is left over', () => {
    const blocks = blocksOf(readFileSync(new URL('../../../docs/functions.md', import.meta.url), 'utf8'));
    const said = JSON.stringify(blocks.filter(({ kind }) => kind !== 'code'));
    expect(blocks.length).toBeGreaterThan(20);
    expect(said).not.toMatch(/\]\(|\*\*|```/);
  });
});
