import { useQuery } from '@tanstack/react-query';
import { useParams, useSearchParams } from 'react-router';
import { GUEST_PATH } from '../../../../../server/wire/invitations.ts';
import { isolateText } from '../../../../../server/wire/isolation.ts';
import { Callout } from '../../../../shared/components/callout.tsx';
import { LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { users } from '../../../api/account/users.ts';
import { guestPreview } from '../../../api/sharing/guest-preview.ts';
import { Page } from '../../../components/page.tsx';
import { guestPreviewPath } from '../../../navigation.ts';
import { PreviewFrame } from '../preview-frame.tsx';
import { usePreviewTitle } from '../preview-title.ts';

const words = m.sharing.guestPreview;

/** Shows the pages of a guest as the guest sees them. With them, the owner cannot act as the guest. */
export function GuestPreviewPage() {
  const { userId = '' } = useParams();
  const path = useSearchParams()[0].get('path') ?? GUEST_PATH;
  const guest = useQuery(users).data?.find((user) => user.userId === userId);
  const result = useQuery(guestPreview(userId, path));
  const html = result.isError ? undefined : result.data?.html;
  const title = guest === undefined ? words.view : words.title(isolateText(guest.name));
  const fullTitle = usePreviewTitle(html, title);
  return (
    <Page
      title={title}
      windowTitle={fullTitle}
      crumbs={[{ label: m.sharing.pageTitle, to: '/sharing' }]}
      lead={words.lead}
    >
      {guest?.enabled === false && <Callout tone="attention" title={words.locked(isolateText(guest.name))} />}
      {result.isPending && <LoadingSkeleton rows={8} height={24} />}
      {result.isError && <LoadError error={result.error} retry={() => void result.refetch()} />}
      {html !== undefined && (
        <PreviewFrame
          html={html}
          title={fullTitle}
          pathOf={(address) => (address.startsWith(GUEST_PATH) ? guestPreviewPath(userId, address) : undefined)}
        />
      )}
    </Page>
  );
}
