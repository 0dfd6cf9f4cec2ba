import { count } from '../../../shared/format/format.ts';

const files = (n: number) => count(n, 'file', 'files');

export const invitations = {
  heading: 'Invitations and password links',
  invite: 'Invite person',
  inviteTo: (n: number) => `Invite person to ${files(n)}`,
  inviteNew: 'Invite someone new',
  inviteNewText: 'They choose their own name, and a password or a passkey, and find the file on a page of their own.',
  form: {
    titleTargets: {
      folder: (name: string) => `Invite person to the folder ${name}`,
      collection: (name: string) => `Invite person to the collection ${name}`,
    },
    text: 'You get a link to send to the person. With it, they choose their own name, and a password or a passkey. The link works once. They see only what you share with them.',
    name: 'Name',
    nameHint: 'Helps you recognise the invitation. They can choose a different name.',
    end: 'The link is valid for',
    endChoices: { 1: '1 day', 7: '7 days', 30: '30 days' },
    submit: 'Create link',
  },
  issued: {
    title: (name: string) => `Link for ${name}`,
    text: (name: string) =>
      `Send this link to ${name}. Anyone who has it can accept the invitation, so send it only to them. It works once.`,
    notAgain: 'The link is not shown again. You can replace it under People.',
  },
  password: {
    title: (name: string) => `New password for ${name}`,
    text: 'You get a link to send to the person. With it, they choose a new password. Their current password works until then; afterwards they are signed out everywhere. The link works once. Earlier password links for this person stop working.',
    issued: (name: string) =>
      `Send this link to ${name}. Anyone who has it can set the password, so send it only to them. It works once.`,
    purpose: 'Link for a new password',
    used: 'Used',
    usedAt: (when: string) => `Used ${when}`,
    revokeLabel: (name: string) => `Revoke the password link for ${name}`,
    revoked: (name: string) => `The password link for ${name} no longer works`,
    removeLabel: (name: string) => `Remove the password link for ${name}`,
    removed: (name: string) => `Password link for ${name} removed`,
  },
  shared: (names: readonly string[], more: number) =>
    more > 0 ? `${names.join(', ')} and ${count(more, 'more file', 'more files')}` : names.join(', '),
  sharedFolder: (path: string) => `Folder ${path}`,
  sharedCollection: (name: string) => `Collection ${name}`,
  nothingShared: 'No files',
  until: (when: string) => `Valid until ${when}`,
  expiredAt: (when: string) => `Expired ${when}`,
  acceptedAt: (when: string) => `Accepted ${when}`,
  acceptedBy: (name: string, when: string) => `Accepted by ${name} ${when}`,
  created: (when: string) => `Created ${when}`,
  states: { open: 'Open', expired: 'Expired', accepted: 'Accepted', revoked: 'Revoked' },
  renew: 'New link',
  renewLabel: (name: string) => `New link for ${name}`,
  revoke: 'Revoke',
  revokeLabel: (name: string) => `Revoke the invitation for ${name}`,
  revoked: (name: string) => `The invitation for ${name} no longer works`,
  removeLabel: (name: string) => `Remove the invitation for ${name}`,
  removed: (name: string) => `Invitation for ${name} removed`,
};
