import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { type ErasureKind, erasurePreview, erasures } from '../../api/account/erasure.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { Page, Section } from '../../components/page.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { TargetChoice } from './target-choice.tsx';
import { ConfirmErasure } from './confirm-erasure.tsx';
import { ErasureReports } from './reports.tsx';
import { ErasedData, UnreachedCopies, RemainingData } from './erasure-preview.tsx';

const texts = m.erasure;
const KINDS: readonly string[] = Object.keys(texts.kinds);

const kindOf = (text: string | null): ErasureKind =>
  text !== null && KINDS.includes(text) ? (text as ErasureKind) : 'namespace';

export function ErasurePage() {
  const [query, setQuery] = useSearchParams();
  const kind = kindOf(query.get('kind'));
  const target = query.get('target') ?? '';
  const isChosen = query.has('kind') && (kind === 'everything' ? query.has('preview') : target !== '');
  const reports = useQuery(erasures);
  const [isErasingAccount, setIsErasingAccount] = useState(false);
  const isRunning = reports.data?.some(({ state }) => state !== 'done') === true;
  return (
    <Page title={texts.pageTitle} lead={texts.lead}>
      {isErasingAccount ? (
        <Callout tone="neutral" title={texts.starting} urgent>
          {texts.startingText}
        </Callout>
      ) : (
        <>
          {!isRunning && (
            <Section title={texts.choose}>
              <TargetChoice
                key={`${kind} ${target}`}
                kind={kind}
                target={target}
                choose={(nextKind, nextTarget, showsPreview) =>
                  setQuery({
                    kind: nextKind,
                    ...(nextTarget === '' ? {} : { target: nextTarget }),
                    ...(showsPreview ? { preview: '1' } : {}),
                  })
                }
              />
            </Section>
          )}
          {!isRunning && isChosen && (
            <ErasureForm
              key={`chosen ${kind} ${target}`}
              kind={kind}
              target={target}
              done={() => setQuery({})}
              onAccountErasure={() => setIsErasingAccount(true)}
            />
          )}
          <Section title={texts.reports}>
            <QueryBoundary query={reports} rows={3} height={40} />
            {reports.data !== undefined && <ErasureReports erasures={reports.data} />}
          </Section>
        </>
      )}
    </Page>
  );
}

interface ErasureFormProps {
  kind: ErasureKind;
  target: string;
  done: () => void;
  onAccountErasure: () => void;
}

function ErasureForm({ kind, target, done, onAccountErasure }: ErasureFormProps) {
  const query = useQuery(erasurePreview(kind, target));
  const preview = query.data;
  if (query.isError) return <LoadError error={query.error} retry={() => void query.refetch()} />;
  if (preview === undefined) return <LoadingSkeleton rows={6} />;
  return (
    <>
      <ErasedData preview={preview} />
      <UnreachedCopies preview={preview} />
      <RemainingData preview={preview} />
      <ConfirmErasure preview={preview} done={done} onAccountErasure={onAccountErasure} />
    </>
  );
}
