import { Anchor, Box } from '@mantine/core';
import { useState } from 'react';
import { m } from '../messages/texts.ts';
import { CopyableJson, JsonText, formatJson } from '../components/json-text.tsx';
import classes from './technical-details.module.css';

interface TechnicalDetailsProps {
  terms: readonly { term: string; value: string | undefined }[];
  json: unknown;
  /** Replaces the default labels, which describe the JSON as a proposal. */
  texts?: { show: string; json: string };
}

export function TechnicalDetails({ terms, json, texts: customTexts }: TechnicalDetailsProps) {
  const [isJsonOpen, setIsJsonOpen] = useState(false);
  const texts = { ...m.requests.technical, ...customTexts };
  return (
    <section className={classes.technicalDetails} aria-label={texts.title}>
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
        {isJsonOpen ? texts.hide : texts.show}
      </Anchor>
      {isJsonOpen && (
        <Box mt="sm">
          <CopyableJson text={formatJson(json)} copyLabel={m.shell.copy}>
            <JsonText value={json} label={texts.json} />
          </CopyableJson>
        </Box>
      )}
    </section>
  );
}
