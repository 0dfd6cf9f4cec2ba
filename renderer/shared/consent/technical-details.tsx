import { Anchor } from '@mantine/core';
import { useState } from 'react';
import { m } from '../messages/texts.ts';
import { JsonText, formatJson } from '../components/json-text.tsx';
import { CopyIconButton } from '../feedback/states.tsx';
import classes from './technical-details.module.css';

interface TechnicalDetailsProps {
  terms: readonly { term: string; value: string | undefined }[];
  json: unknown;
  /** Labels for JSON that is not a proposal. */
  words?: { show: string; json: string };
}

export function TechnicalDetails({ terms, json, words: customWords }: TechnicalDetailsProps) {
  const [isJsonOpen, setIsJsonOpen] = useState(false);
  const words = { ...m.requests.technical, ...customWords };
  return (
    <section className={classes.technical} aria-label={words.title}>
      <dl>
        {terms.map(
          ({ term, value }) =>
            value !== undefined && (
              <div key={term}>
                <dt>{term}</dt>
                <dd>
                  <code>{value}</code>
                </dd>
              </div>
            ),
        )}
      </dl>
      <Anchor
        component="button"
        type="button"
        size="xs"
        c="dimmed"
        aria-expanded={isJsonOpen}
        onClick={() => setIsJsonOpen(!isJsonOpen)}
      >
        {isJsonOpen ? words.hide : words.show}
      </Anchor>
      {isJsonOpen && (
        <div className={classes.json}>
          <div className={classes.copy}>
            <CopyIconButton value={formatJson(json)} label={m.shell.copy} />
          </div>
          <JsonText value={json} label={words.json} />
        </div>
      )}
    </section>
  );
}
