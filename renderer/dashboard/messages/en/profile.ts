import { count } from '../../../shared/format/format.ts';

/** Settings → Profile. */
export const profile = {
  pageTitle: 'Profile',
  lead: 'What you say of yourself, and what of it everybody may see. Each switch is off until you turn it on.',
  mine: 'About you',
  fields: {
    name: 'Name',
    headline: 'What you do',
    about: 'About you',
    place: 'Place',
    email: 'E-mail',
    phone: 'Phone',
    website: 'Website',
    birthday: 'Birthday',
    photo: 'Photo',
    notables: 'Notes',
  },
  hints: {
    headline: 'One line, such as your trade',
    place: 'As exact as you like',
    website: 'Begins with https://',
  },
  shown: 'Everybody sees it',
  showLabel: (field: string) => `Show to everybody: ${field}`,
  save: 'Save',
  saved: 'Saved. Nothing became public by it.',
  badWebsite: 'Write a whole address, such as https://example.org/',
  badEmail: 'This is no e-mail address.',
  photo: {
    none: 'No photo yet',
    choose: 'Choose a photo',
    replace: 'Choose another one',
    remove: 'Remove',
    hint: 'Its middle is cut out as a square. Place, time and camera are taken out of it before it is kept.',
    unreadable: 'This file cannot be read as a picture.',
    alt: 'Your photo',
  },
  notables: (n: number) =>
    n === 0
      ? 'Records at profile/notables that are marked public. There are none.'
      : `${count(n, 'record', 'records')} at profile/notables that ${n === 1 ? 'is' : 'are'} marked public.`,
  strangers: {
    title: 'What strangers see',
    nothing: 'Nothing. Whoever opens your profile is told that there is nothing to see.',
    at: 'At',
    onlyHere: 'Your PDA has no public address, so only this computer can open it now.',
    frame: 'Your profile as strangers see it',
    open: 'Open the page',
  },
  bundle: {
    title: 'A program says what strangers see',
    text: 'It registered a bundle called phata, which takes the place of your profile. The switches here change nothing until you take it back.',
    remove: 'Take it back',
  },
  record: 'Applications read this, with your consent, as the newest record at',
  technical: 'profile/me',
} as const;
