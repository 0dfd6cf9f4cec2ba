import { Anchor } from '@mantine/core';
import { useState } from 'react';
import { m } from '../../messages/texts.ts';
import { JsonText, prettyJson } from '../json-text.tsx';
import { CopyIcon } from '../states.tsx';
import classes from './technical.module.css';

interface TechnicalProps {
  terms: readonly { term: string; value: string | undefined }[];
  json: unknown;
  /** What its JSON is called, when it is no proposal. */
  words?: { show: string; json: string };
}

/** The interface's own words for all of it, small and grey, for whoever develops against it. */
export function Technical({ terms, json, words: own }: TechnicalProps) {
  const [shown, setShown] = useState(false);
  const words = { ...m.requests.technical, ...own };
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
        aria-expanded={shown}
        onClick={() => setShown(!shown)}
      >
        {shown ? words.hide : words.show}
      </Anchor>
      {shown && (
        <div className={classes.json}>
          <div className={classes.copy}>
            <CopyIcon value={prettyJson(json)} label={m.shell.copy} />
          </div>
          <JsonText value={json} label={words.json} />
        </div>
      )}
    </section>
  );
}
