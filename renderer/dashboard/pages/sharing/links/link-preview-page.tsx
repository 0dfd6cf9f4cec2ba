import { useQuery } from '@tanstack/react-query';
import { useParams, useSearchParams } from 'react-router';
import { isolateText } from '../../../../../server/wire/isolation.ts';
import { SHARE_PATH } from '../../../../../server/wire/share-links.ts';
import { LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { shareLinkPreview, shareLinks } from '../../../api/files/share-links.ts';
import { Page } from '../../../components/page.tsx';
import { linkPreviewPath, LINKS_PATH } from '../../../navigation.ts';
import { PreviewFrame } from '../preview-frame.tsx';

const words = m.sharing.linkPreview;
const CRUMBS = [
  { label: m.sharing.pageTitle, to: '/sharing' },
  { label: m.shareLinks.pageTitle, to: LINKS_PATH },
];

/** Returns the dashboard's path of a page of the link; undefined for other addresses. */
function pagePathOf(linkId: string, address: string): string | undefined {
  if (!address.startsWith(`${SHARE_PATH}/`)) return undefined;
  return linkPreviewPath(linkId, new URL(address, location.origin).searchParams.get('after') ?? '');
}

/** Shows the page of a share link as its visitors see it. */
export function LinkPreviewPage() {
  const { linkId = '' } = useParams();
  const after = useSearchParams()[0].get('after') ?? '';
  const link = useQuery(shareLinks).data?.find((listed) => listed.linkId === linkId);
  const result = useQuery(shareLinkPreview(linkId, after));
  const title = link === undefined ? words.view : words.title(isolateText(link.name));
  return (
    <Page title={title} windowTitle={title} crumbs={CRUMBS} lead={words.lead}>
      {result.isPending && <LoadingSkeleton rows={8} height={24} />}
      {result.isError && <LoadError error={result.error} retry={() => void result.refetch()} />}
      {result.data !== undefined && (
        <PreviewFrame html={result.data.html} title={title} pathOf={(address) => pagePathOf(linkId, address)} />
      )}
    </Page>
  );
}
