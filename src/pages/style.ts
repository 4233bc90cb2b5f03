/** What all looks share: the reader's own font, light or dark as the system is, or as was chosen in the web client. */
export const ground = `:root {
  color-scheme: light dark;
  --ground: light-dark(#f4f3ee, #121513);
  --sheet: light-dark(#fffefc, #1b1f1d);
  --ink: light-dark(#1c2220, #eceeea);
  --quiet: light-dark(#5e6762, #a2aca6);
  --line: light-dark(#dcdfda, #333a36);
  --edge: light-dark(#7b857f, #7e8a83);
  --accent: light-dark(#1c6b4f, #7fd3ad);
  --accent-strong: light-dark(#14533d, #a5e4c8);
  --on-accent: light-dark(#ffffff, #06251a);
  --fault: light-dark(#b23c1e, #f3a58c);
  --code: light-dark(#f0f1ec, #141816);
  --fill: light-dark(#2f2a1c0e, #eceeea12);
  --fill-2: light-dark(#2f2a1c1f, #eceeea24);
  --get: light-dark(#1c6b4f, #7fd3ad);
  --post: light-dark(#1f55a8, #a6c8ff);
  --patch: light-dark(#8a5300, #f5c37a);
  --delete: light-dark(#b3261e, #ffb4ab);
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }

*, *::before, *::after { box-sizing: border-box; }

[hidden] { display: none !important; }

body {
  margin: 0;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.55 -apple-system, "Segoe UI Variable Text", "Segoe UI", Roboto, "Adwaita Sans", Ubuntu, Cantarell,
    "Noto Sans", Inter, "Liberation Sans", system-ui, sans-serif;
  overflow-wrap: break-word;
}

a { color: var(--accent); text-underline-offset: 0.15em; }
a:hover { color: var(--accent-strong); }

:focus-visible {
  outline: 2px solid var(--accent);
  outline-offset: 1px;
}

code {
  font: 0.875em/1.5 ui-monospace, monospace;
  overflow-wrap: anywhere;
}
`;

/** The look of the small pages: that of the web client, one small sheet. */
export const style = `${ground}
body {
  display: grid;
  grid-template: auto 1fr / min(25rem, 100% - 2rem);
  align-content: start;
  justify-content: center;
  gap: 1.5rem;
  min-height: 100dvh;
  padding-block: clamp(1.5rem, 14vh, 9rem) 2rem;
  font-size: 0.875rem;
  line-height: 1.45;
}

header {
  display: flex;
  align-items: center;
  gap: 0.5rem;
  font-size: 1.125rem;
  font-weight: 600;
}

main {
  align-self: start;
  padding: 2rem;
  border-radius: 0.875rem;
  background: var(--sheet);
}

h1 {
  margin: 0 0 1rem;
  font-size: 1.625rem;
  line-height: 1.2;
  letter-spacing: -0.018em;
  text-wrap: balance;
}

h1:focus { outline: none; }

p { margin: 0 0 1rem; text-wrap: pretty; }

section > :last-child, form > :last-child, div > :last-child { margin-bottom: 0; }

div[data-ways] { margin-bottom: 1rem; }

strong { font-weight: 600; overflow-wrap: anywhere; }

.quiet, .hint {
  color: var(--quiet);
  font-size: 0.8125rem;
}

.note {
  padding: 0.75rem;
  border-radius: 0.625rem;
  background: var(--code);
}

form { margin-bottom: 1rem; }

.field { margin-bottom: 1rem; }

label { display: block; font-weight: 600; }

.hint { margin: 0.25rem 0 0; }

.fault { margin: 0; font-size: 0.8125rem; }
.fault:not(:empty) { margin-top: 0.25rem; }

.fault:not(:empty) + .hint { display: none; }

.fault, .rejected { color: var(--fault); }
:is(.fault, .rejected):not(:empty)::before { content: "⚠\\FE0E  " / ""; }

input:not([type="checkbox"]) {
  width: 100%;
  min-height: 2.75rem;
  margin-top: 0.25rem;
  padding: 0.5rem 0.75rem;
  border: 1px solid var(--edge);
  border-radius: 0.375rem;
  background: none;
  color: inherit;
  font: inherit;
}

input[aria-invalid="true"] { border-color: var(--fault); }

.choice {
  display: inline-flex;
  align-items: center;
  gap: 0.5rem;
  min-height: 2rem;
  margin-top: 0.25rem;
  font-weight: 400;
}

input[type="checkbox"] {
  width: 1.125rem;
  height: 1.125rem;
  margin: 0;
  accent-color: var(--accent);
}

button, .onward {
  width: 100%;
  min-height: 2.75rem;
  padding: 0.5rem 1rem;
  border: 1px solid transparent;
  border-radius: 0.375rem;
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}

button:hover { background: var(--accent-strong); }

.onward {
  display: grid;
  place-content: center;
  background: var(--fill);
  color: inherit;
  text-align: center;
  text-decoration: none;
}
.onward:hover { background: var(--fill-2); color: inherit; }

form[aria-busy="true"] button { cursor: progress; }

[role="status"] { margin: 0.75rem 0 0; }
[role="status"]:empty { margin: 0; }

ul { margin: 0; padding-left: 1.25rem; }
li a { display: inline-block; padding-block: 0.25rem; }

noscript p { margin: 1rem 0 0; }

@media (pointer: coarse) {
  body { font-size: 1rem; }
  .choice { min-height: 2.75rem; }
  .quiet, .hint, .fault { font-size: 0.875rem; }
}

@media (width < 30rem) {
  body { padding-block-start: clamp(1rem, 5vh, 4rem); }
  main { padding: 1.5rem; }
}

@media (prefers-reduced-motion: no-preference) {
  a, button, input { transition: background-color 90ms, border-color 90ms, color 90ms; }
}
`;
