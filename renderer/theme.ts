import {
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type MantineThemeOverride,
  Anchor,
  Button,
  Menu,
  Modal,
  Notification,
  PasswordInput,
  Skeleton,
  TextInput,
  Tooltip,
  createTheme,
} from '@mantine/core';
import { m } from './messages/en.ts';

/** Warm neutral greys: paper, not steel. */
const gray: MantineColorsTuple = [
  '#fbfaf8',
  '#f4f2ee',
  '#ece9e3',
  '#e0dcd4',
  '#cbc5ba',
  '#a8a194',
  '#857e72',
  '#635d53',
  '#3f3b35',
  '#211f1b',
];

/** The same warmth at night. Index 0 is text, 7 the ground, as Mantine expects it. */
const dark: MantineColorsTuple = [
  '#ece9e3',
  '#cfcac1',
  '#aba498',
  '#7f786d',
  '#46423b',
  '#37342e',
  '#292622',
  '#181715',
  '#131210',
  '#0d0c0b',
];

/** The one accent. */
const teal: MantineColorsTuple = [
  '#e9f4f2',
  '#d0e7e3',
  '#a3d0ca',
  '#78bdb4',
  '#489f96',
  '#26877e',
  '#14716a',
  '#0f5d58',
  '#0c4b47',
  '#083734',
];

/** Wants your decision. */
const amber: MantineColorsTuple = [
  '#fbf3e2',
  '#f6e3bc',
  '#eecb85',
  '#e4b04f',
  '#d69a2d',
  '#b98116',
  '#966710',
  '#7a530c',
  '#5e400a',
  '#432d06',
];

/** Stops or deletes. */
const brick: MantineColorsTuple = [
  '#faede9',
  '#f3d5cd',
  '#e7afa2',
  '#e0998a',
  '#cb6a55',
  '#b8503b',
  '#a03f2c',
  '#8a3324',
  '#6b281c',
  '#4e1c13',
];

const FONT =
  "system-ui, -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Noto Sans', Cantarell, Ubuntu, Helvetica, Arial, sans-serif";
const MONO = "ui-monospace, 'SF Mono', SFMono-Regular, 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', monospace";

export const theme: MantineThemeOverride = createTheme({
  colors: { gray, dark, teal, amber, brick },
  primaryColor: 'teal',
  primaryShade: { light: 7, dark: 6 },
  white: '#ffffff',
  black: '#211f1b',
  fontFamily: FONT,
  fontFamilyMonospace: MONO,
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '1rem', lg: '1.25rem', xl: '1.625rem' },
  lineHeights: { xs: '1.35', sm: '1.5', md: '1.5', lg: '1.4', xl: '1.25' },
  fontWeights: { regular: '400', medium: '500', bold: '600' },
  headings: {
    fontFamily: FONT,
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

/** Colours by what they mean. Components name these, never a shade. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    '--nav-width': '14rem',
    '--bar-height': '3.75rem',
  },
  light: {
    '--mantine-color-body': gray[0],
    '--mantine-color-text': gray[9],
    '--mantine-color-dimmed': gray[7],
    '--mantine-color-placeholder': '#716a5f',
    '--mantine-color-default-border': gray[4],
    '--mantine-color-anchor': teal[7],
    '--mantine-color-error': brick[7],
    '--ground': gray[0],
    '--ground-side': gray[1],
    '--surface': '#ffffff',
    '--hover': '#f1efea',
    '--chosen': '#e3efec',
    '--hairline': gray[3],
    '--outline': '#8d8679',
    '--ink': gray[9],
    '--ink-soft': gray[7],
    '--accent': teal[7],
    '--accent-soft': teal[2],
    '--decision': amber[7],
    '--decision-ground': amber[0],
    '--stop': brick[7],
    '--stop-ground': brick[0],
    '--chart-in': '#2f8f86',
    '--chart-changed': '#c9a45c',
    '--chart-out': '#b8604d',
    '--code-key': '#0f5d58',
    '--code-text': '#7a4a12',
    '--code-number': '#4b3f9c',
    '--code-word': '#8a3324',
    '--mark': '#f6e3bc',
  },
  dark: {
    '--mantine-color-body': dark[7],
    '--mantine-color-text': dark[0],
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-placeholder': '#968f84',
    '--mantine-color-default': '#211f1c',
    '--mantine-color-default-hover': dark[6],
    '--mantine-color-default-border': dark[4],
    '--mantine-color-anchor': teal[3],
    '--mantine-color-error': brick[3],
    '--ground': dark[7],
    '--ground-side': dark[8],
    '--surface': '#1f1d1a',
    '--hover': '#24221e',
    '--chosen': '#1c302d',
    '--hairline': '#302d28',
    '--outline': '#7f786d',
    '--ink': dark[0],
    '--ink-soft': dark[2],
    '--accent': teal[3],
    '--accent-soft': '#2a645e',
    '--decision': amber[3],
    '--decision-ground': '#2b2314',
    '--stop': brick[3],
    '--stop-ground': '#2e1c17',
    '--chart-in': '#4ea79d',
    '--chart-changed': '#b8924a',
    '--chart-out': '#c0705e',
    '--code-key': '#8fcac2',
    '--code-text': '#deb887',
    '--code-number': '#b3a9f0',
    '--code-word': '#e0998a',
    '--mark': '#5e400a',
  },
});
