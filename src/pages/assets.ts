import { hash } from 'node:crypto';
import { icon } from './icon.ts';
import { reference } from './reference-script.js';
import { referenceStyle } from './reference-style.ts';
import { page } from './script.js';
import { style } from './style.ts';

const HASH_CHARACTERS = 16;

/** A file that pages refer to; its name changes with its content, so that it may be kept for good. */
export interface Asset {
  /** Relative to a page. */
  href: string;
  type: string;
  content: string;
}

const TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

export const STYLE = asset('page', 'css', style);
export const SCRIPT = asset('page', 'js', `(${page})();\n`);
export const REFERENCE_STYLE = asset('reference', 'css', referenceStyle);
export const REFERENCE_SCRIPT = asset('reference', 'js', `(${reference})();\n`);
export const ICON = asset('icon', 'svg', icon);

function asset(name: string, extension: keyof typeof TYPES, content: string): Asset {
  const digest = hash('sha256', content).slice(0, HASH_CHARACTERS);
  return { href: `assets/${name}.${digest}.${extension}`, type: TYPES[extension], content };
}
