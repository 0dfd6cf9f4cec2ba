import { useQuery } from '@tanstack/react-query';
import { useParams, useSearchParams } from 'react-router';
import { GUEST_PATH } from '../../../../../server/wire/guest-paths.ts';
import { isolateText } from '../../../../../server/wire/isolation.ts';
import { Callout } from '../../../../shared/components/callout.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { guestPreview, users } from '../../../api/account/users.ts';
import { guestPreviewPath } from '../../../navigation.ts';
import { PreviewPage } from '../preview-page.tsx';

const texts = m.sharing.guestPreview;
const CRUMBS = [{ label: m.sharing.pageTitle, to: '/sharing' }];

/** Shows the pages of a guest as the guest sees them. The owner cannot act as the guest on them. */
export function GuestPreviewPage() {
  const { userId = '' } = useParams();
  const path = useSearchParams()[0].get('path') ?? GUEST_PATH;
  const guest = useQuery(users).data?.find((user) => user.userId === userId);
  const result = useQuery(guestPreview(userId, path));
  return (
    <PreviewPage
      title={guest === undefined ? texts.view : texts.title(isolateText(guest.name))}
      crumbs={CRUMBS}
      lead={texts.lead}
      result={result}
      pathOf={(address) => (address.startsWith(GUEST_PATH) ? guestPreviewPath(userId, address) : undefined)}
    >
      {guest?.enabled === false && <Callout tone="attention" title={texts.locked(isolateText(guest.name))} />}
    </PreviewPage>
  );
}
