import { Fragment } from 'react';
import { ChosenEndpointIcon } from '../data/endpoints/endpoint-icon.tsx';
import type { Sentence } from './entry-text.ts';
import classes from './access-rows.module.css';

const MAX_ICONS = 3;

interface EntrySentenceProps {
  sentence: Sentence;
  endpoints: readonly string[];
}

export function EntrySentence({ sentence: { actor, action, details }, endpoints }: EntrySentenceProps) {
  return (
    <span className={classes.sentence}>
      <span>
        <b>{actor}</b> {action}
      </span>
      {details.length > 0 && <span className={classes.details}>, {details.join(', ')}</span>}
      {endpoints.slice(0, MAX_ICONS).map((endpoint) => (
        <Fragment key={endpoint}>
          {' '}
          <ChosenEndpointIcon endpoint={endpoint} />
        </Fragment>
      ))}
    </span>
  );
}
