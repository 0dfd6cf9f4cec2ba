import {
  type MantineThemeOverride,
  Anchor,
  Button,
  Menu,
  Modal,
  Notification,
  PasswordInput,
  Skeleton,
  Text,
  TextInput,
  Tooltip,
  createTheme,
} from '@mantine/core';
import { FONT_FAMILY, MONOSPACE_FONT_FAMILY, amber, brick, dark, gray, teal } from './colours.ts';
import { m } from '../messages/texts.ts';

export const theme: MantineThemeOverride = createTheme({
  colors: { gray, dark, teal, amber, brick },
  primaryColor: 'teal',
  primaryShade: { light: 7, dark: 6 },
  white: '#ffffff',
  black: '#211f1b',
  fontFamily: FONT_FAMILY,
  fontFamilyMonospace: MONOSPACE_FONT_FAMILY,
  // `lead`: the most important sentence of a page or section. `display`: its most important number.
  fontSizes: {
    xs: '0.75rem',
    sm: '0.875rem',
    md: '1rem',
    lead: '1.125rem',
    lg: '1.25rem',
    xl: '1.625rem',
    display: '2rem',
  },
  lineHeights: { xs: '1.35', sm: '1.5', md: '1.5', lead: '1.4', lg: '1.4', xl: '1.25', display: '1.2' },
  fontWeights: { regular: '400', medium: '500', bold: '600' },
  headings: {
    fontFamily: FONT_FAMILY,
    fontWeight: '600',
    textWrap: 'balance',
    sizes: {
      h1: { fontSize: '1.625rem', lineHeight: '1.25' },
      h2: { fontSize: '1rem', lineHeight: '1.5' },
      h3: { fontSize: '0.875rem', lineHeight: '1.5' },
      h4: { fontSize: '0.875rem', lineHeight: '1.5' },
      h5: { fontSize: '0.875rem', lineHeight: '1.5' },
      h6: { fontSize: '0.875rem', lineHeight: '1.5' },
    },
  },
  spacing: { xs: '0.25rem', sm: '0.5rem', md: '1rem', lg: '1.5rem', xl: '2.5rem' },
  radius: { xs: '3px', sm: '5px', md: '7px', lg: '10px', xl: '16px' },
  defaultRadius: 'md',
  shadows: {
    xs: '0 1px 2px rgb(33 31 27 / 6%)',
    sm: '0 1px 3px rgb(33 31 27 / 8%)',
    md: '0 4px 16px rgb(33 31 27 / 10%)',
    lg: '0 8px 32px rgb(33 31 27 / 14%)',
    xl: '0 16px 48px rgb(33 31 27 / 18%)',
  },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    // Links have the same size, because Anchor is based on Text.
    Text: Text.extend({ defaultProps: { size: 'sm' } }),
    Anchor: Anchor.extend({ defaultProps: { underline: 'hover' } }),
    Button: Button.extend({ defaultProps: { size: 'sm', fw: 500 } }),
    TextInput: TextInput.extend({ defaultProps: { size: 'sm' } }),
    PasswordInput: PasswordInput.extend({
      defaultProps: { size: 'sm', visibilityToggleButtonProps: { 'aria-label': m.shell.showPassword } },
    }),
    Menu: Menu.extend({
      defaultProps: { shadow: 'md', position: 'bottom-end', transitionProps: { duration: 90 }, returnFocus: true },
    }),
    Modal: Modal.extend({
      defaultProps: {
        centered: true,
        radius: 'lg',
        padding: 'lg',
        overlayProps: { backgroundOpacity: 0.3 },
        transitionProps: { duration: 120, transition: 'fade' },
        closeButtonProps: { 'aria-label': m.shell.close },
      },
    }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': m.shell.close } } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 300, transitionProps: { duration: 90 } } }),
    Skeleton: Skeleton.extend({ defaultProps: { radius: 'sm' } }),
  },
});
