import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { type ErasureKind, erasurePreview, erasures } from '../../api/account/erasure.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { Page, Section } from '../../components/page.tsx';
import { LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { Choice } from './target-choice.tsx';
import { ConfirmErasure } from './confirm-erasure.tsx';
import { ErasureReports } from './reports.tsx';
import { Goes, NotReached, Stays } from './erasure-preview.tsx';

const words = m.erasure;
const KINDS: readonly string[] = Object.keys(words.kinds);

const kindOf = (text: string | null): ErasureKind =>
  text !== null && KINDS.includes(text) ? (text as ErasureKind) : 'namespace';

/** How does something go so that nothing of it is left? */
export function ErasurePage() {
  const [query, setQuery] = useSearchParams();
  const kind = kindOf(query.get('kind'));
  const target = query.get('target') ?? '';
  const isChosen = query.has('kind') && (kind === 'everything' ? query.has('look') : target !== '');
  const all = useQuery(erasures);
  const [starting, setStarting] = useState(false);
  const runs = all.data?.some(({ state }) => state !== 'done') === true;
  return (
    <Page title={words.pageTitle} windowTitle={words.pageTitle} lead={words.lead}>
      {starting ? (
        <Callout tone="neutral" title={words.starting} urgent>
          {words.startingText}
        </Callout>
      ) : (
        <>
          {!runs && (
            <Section title={words.choose}>
              <Choice
                key={`${kind} ${target}`}
                kind={kind}
                target={target}
                choose={(next, wanted, look) =>
                  setQuery({ kind: next, ...(wanted === '' ? {} : { target: wanted }), ...(look ? { look: '1' } : {}) })
                }
              />
            </Section>
          )}
          {!runs && isChosen && (
            <Chosen
              key={`chosen ${kind} ${target}`}
              kind={kind}
              target={target}
              done={() => setQuery({})}
              starts={() => setStarting(true)}
            />
          )}
          <Section title={words.reports}>
            {all.isPending && <LoadingSkeleton rows={3} height={40} />}
            {all.isError && <LoadError error={all.error} retry={() => void all.refetch()} />}
            {all.data !== undefined && <ErasureReports erasures={all.data} />}
          </Section>
        </>
      )}
    </Page>
  );
}

interface ChosenProps {
  kind: ErasureKind;
  target: string;
  done: () => void;
  starts: () => void;
}

/** What would go, what would not, and the last question. */
function Chosen({ kind, target, done, starts }: ChosenProps) {
  const found = useQuery(erasurePreview(kind, target));
  const preview = found.data;
  if (found.isError) return <LoadError error={found.error} retry={() => void found.refetch()} />;
  if (preview === undefined) return <LoadingSkeleton rows={6} />;
  return (
    <>
      <Goes preview={preview} />
      <NotReached preview={preview} />
      <Stays preview={preview} />
      <ConfirmErasure preview={preview} done={done} starts={starts} />
    </>
  );
}
