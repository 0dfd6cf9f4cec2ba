import { count } from '../../../shared/format/format.ts';

/** Settings → Profile. */
export const profile = {
  pageTitle: 'Profile',
  lead: 'What you say about yourself, and which parts of it are public. Each switch is off until you turn it on.',
  aboutYou: 'About you',
  fields: {
    name: 'Name',
    headline: 'What you do',
    about: 'About you',
    place: 'Place',
    email: 'Email',
    phone: 'Phone',
    website: 'Website',
    birthday: 'Birthday',
    photo: 'Photo',
    notables: 'Notes',
  },
  hints: {
    headline: 'One line, such as your profession',
    place: 'As precise as you like',
    website: 'Begins with https://',
  },
  publicLabel: 'Public',
  publicLabelOf: (field: string) => `Public: ${field}`,
  saved: 'Saved. The same fields are public as before.',
  invalidWebsite: 'Enter a complete address, such as https://example.org/',
  invalidEmail: 'Enter a valid email address.',
  photo: {
    choose: 'Choose photo',
    replace: 'Choose another photo',
    hint: 'The photo is cropped to a square around its centre. Location, time and camera data are removed before the photo is saved.',
    unreadable: 'This file cannot be read as a picture.',
    alt: 'Your photo',
  },
  notables: (n: number) =>
    n === 0
      ? 'No records in profile/notables are marked public.'
      : `${count(n, 'record', 'records')} in profile/notables ${n === 1 ? 'is' : 'are'} marked public.`,
  publicPage: {
    title: 'What anonymous visitors see',
    nothing: 'Nothing. Your profile page says that there is nothing to see.',
    at: 'Address:',
    onlyHere: 'Your PDA has no public address, so only this computer can open the page at the moment.',
    frame: 'Your profile as anonymous visitors see it',
    open: 'Open page',
  },
  bundle: {
    title: 'A bundle determines what anonymous visitors see',
    text: 'The bundle phata is stored with your account and replaces your profile. The switches here have no effect until you remove that bundle.',
    remove: 'Remove bundle',
  },
  record: 'Applications can read your profile with your consent. It is the newest record in',
} as const;
