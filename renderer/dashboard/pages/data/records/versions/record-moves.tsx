import { Button } from '@mantine/core';
import { useState } from 'react';
import { isolateText } from '../../../../../../server/wire/isolation.ts';
import type { RecordMove } from '../../../../../../server/wire/record-moves.ts';
import { m } from '../../../../../shared/messages/texts.ts';
import { useAuthorText } from './author-text.ts';
import { VersionSummary } from './version-summary.tsx';
import classes from './versions.module.css';
import parts from '../../../../../shared/overlay/drawer-parts.module.css';

const texts = m.data.moves;
const MAX_LISTED_MOVES = 3;

/** Lists the moves of a record, newest first. */
export function RecordMoves({ moves }: { moves: readonly RecordMove[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const authorText = useAuthorText();
  const listedMoves = showsAll ? moves : moves.slice(0, MAX_LISTED_MOVES);
  return (
    <section className={parts.sectionList}>
      <h3>{texts.title}</h3>
      <ol className={classes.list}>
        {listedMoves.map(({ moved, movedBy, from, to }) => (
          <li key={`${moved} ${from} ${to}`} className={classes.item}>
            <VersionSummary at={moved} author={authorText(movedBy)} />
            <span className={classes.endpoints}>{texts.fromTo(isolateText(from), isolateText(to))}</span>
          </li>
        ))}
      </ol>
      {listedMoves.length < moves.length && (
        <Button variant="default" size="xs" onClick={() => setShowsAll(true)}>
          {m.data.versions.showAll(moves.length)}
        </Button>
      )}
    </section>
  );
}
