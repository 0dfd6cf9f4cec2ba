import { Title } from '@mantine/core';
import { Fragment } from 'react';
import guide from '../../../docs/functions.md?raw';
import { OutsideLink } from '../../components/consent/outside-link.tsx';
import { Page } from '../../components/page.tsx';
import { m } from '../../messages/en.ts';
import { type Block, type Inline, blocksOf } from './guide.ts';
import classes from './guide-page.module.css';
import { crumbs } from './not-here.tsx';

const words = m.functions.empty;
const blocks = blocksOf(guide).filter((block) => block.kind !== 'heading' || block.level > 1);

/** The documentation for whoever writes a function, as it comes with this PDA. */
export function GuidePage() {
  return (
    <Page title={words.guide} windowTitle={words.guide} crumbs={crumbs}>
      <div className={classes.guide}>
        {blocks.map((block, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a text that never changes
          <Part key={at} block={block} n={at + 1} />
        ))}
      </div>
    </Page>
  );
}

function Text({ parts }: { parts: readonly Inline[] }) {
  return parts.map(({ kind, text, to }, at) => {
    const said =
      kind === 'code' ? (
        <code>{text}</code>
      ) : kind === 'strong' ? (
        <strong>{text}</strong>
      ) : kind === 'link' && to !== undefined ? (
        <OutsideLink url={to}>{text}</OutsideLink>
      ) : (
        text
      );
    // oxlint-disable-next-line react/no-array-index-key -- a text that never changes
    return <Fragment key={at}>{said}</Fragment>;
  });
}

/* oxlint-disable react/no-array-index-key -- a text that never changes */
function Part({ block, n }: { block: Block; n: number }) {
  switch (block.kind) {
    case 'heading':
      return (
        <Title order={block.level === 2 ? 2 : 3}>
          <Text parts={block.text} />
        </Title>
      );
    case 'paragraph':
      return (
        <p>
          <Text parts={block.text} />
        </p>
      );
    case 'code':
      return (
        <pre tabIndex={0} role="region" aria-label={words.example(n)}>
          {block.text}
        </pre>
      );
    case 'list':
      return (
        <ul>
          {block.items.map((item, at) => (
            <li key={at}>
              <Text parts={item} />
            </li>
          ))}
        </ul>
      );
    case 'table':
      return (
        <div className={classes.table} tabIndex={0} role="region" aria-label={words.table(n)}>
          <table>
            {block.head.some((cell) => cell.length > 0) && (
              <thead>
                <tr>
                  {block.head.map((cell, at) => (
                    <td key={at}>
                      <Text parts={cell} />
                    </td>
                  ))}
                </tr>
              </thead>
            )}
            <tbody>
              {block.rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td key={column}>
                      <Text parts={cell} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
  }
}
