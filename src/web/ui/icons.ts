/** Our names of the shapes taken from lucide-static, and what they are called there. Only what is used. */
export const LUCIDE = {
  back: 'arrow-left',
  board: 'columns-3',
  checks: 'list-checks',
  clock: 'clock',
  comment: 'message-circle',
  copy: 'copy',
  check: 'check',
  close: 'x',
  down: 'chevron-down',
  download: 'download',
  external: 'external-link',
  eye: 'eye',
  'eye-off': 'eye-off',
  filter: 'list-filter',
  flag: 'flag',
  grip: 'grip-vertical',
  hash: 'hash',
  inbox: 'inbox',
  info: 'info',
  key: 'key-round',
  keyboard: 'keyboard',
  label: 'tag',
  late: 'clock-alert',
  layers: 'layers',
  left: 'chevron-left',
  link: 'link',
  list: 'list',
  mail: 'mail',
  me: 'circle-user-round',
  moon: 'moon',
  more: 'ellipsis',
  move: 'folder-input',
  notifications: 'bell',
  offline: 'cloud-off',
  panel: 'panel-right',
  pause: 'pause',
  pencil: 'pencil',
  people: 'users-round',
  person: 'user-round',
  plus: 'plus',
  redo: 'redo-2',
  resume: 'play',
  right: 'chevron-right',
  repeat: 'repeat',
  search: 'search',
  select: 'square-mouse-pointer',
  send: 'arrow-up',
  sending: 'refresh-cw',
  settings: 'settings',
  shield: 'shield',
  'sign-out': 'log-out',
  sliders: 'sliders-horizontal',
  start: 'calendar-arrow-up',
  status: 'circle-dot',
  sun: 'sun',
  sunrise: 'sunrise',
  synced: 'circle-check',
  trash: 'trash-2',
  undo: 'undo-2',
  up: 'chevron-up',
  upcoming: 'calendar-days',
  warning: 'triangle-alert',
} as const;

export type IconName = keyof typeof LUCIDE;

/** The shapes that are our own, in `own-shapes.svg`. */
export type ShapeName =
  | 'logo'
  | 'box'
  | 'box-review'
  | 'box-started'
  | 'box-done'
  | 'box-canceled'
  | 'prio-urgent'
  | 'prio-high'
  | 'prio-medium'
  | 'prio-low';
