/** What all looks share: the reader's own font, light or dark as the reader prefers. */
export const ground = `:root {
  color-scheme: light dark;
  --ground: #f4f3ee;
  --sheet: #ffffff;
  --ink: #1c2220;
  --quiet: #545f59;
  --line: #dcdfda;
  --edge: #7b857f;
  --accent: #1c6b4f;
  --accent-strong: #14533d;
  --on-accent: #ffffff;
  --fault: #b3261e;
  --code: #f0f1ec;
  --get: #1c6b4f;
  --post: #1f55a8;
  --patch: #8a5300;
  --delete: #b3261e;
}

@media (prefers-color-scheme: dark) {
  :root {
    --ground: #121513;
    --sheet: #1b1f1d;
    --ink: #eceeea;
    --quiet: #adb6b0;
    --line: #333a36;
    --edge: #7e8a83;
    --accent: #7fd3ad;
    --accent-strong: #a5e4c8;
    --on-accent: #06251a;
    --fault: #ffb4ab;
    --code: #141816;
    --get: #7fd3ad;
    --post: #a6c8ff;
    --patch: #f5c37a;
    --delete: #ffb4ab;
  }
}

*, *::before, *::after { box-sizing: border-box; }

[hidden] { display: none !important; }

body {
  margin: 0;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif;
  overflow-wrap: break-word;
}

a { color: var(--accent); text-underline-offset: 0.15em; }
a:hover { color: var(--accent-strong); }

:focus-visible {
  outline: 3px solid var(--accent);
  outline-offset: 2px;
}

code {
  font: 0.875em/1.5 ui-monospace, monospace;
  overflow-wrap: anywhere;
}
`;

/** The look of the small pages: one column. */
export const style = `${ground}
body { padding: clamp(1rem, 6vh, 4rem) 1rem 2rem; }

header, main {
  max-width: 28rem;
  margin-inline: auto;
}

header {
  display: flex;
  align-items: center;
  gap: 0.6rem;
  margin-bottom: 1rem;
  font-size: 1.125rem;
  font-weight: 650;
}

main {
  padding: clamp(1.25rem, 6vw, 2.25rem);
  border: 1px solid var(--line);
  border-radius: 0.9rem;
  background: var(--sheet);
}

h1 {
  margin: 0 0 0.75rem;
  font-size: 1.5rem;
  line-height: 1.25;
  text-wrap: balance;
}

h1:focus { outline: none; }

p { margin: 0 0 1rem; }

section > :last-child, form > :last-child, details > :last-child { margin-bottom: 0; }

.quiet, .hint {
  color: var(--quiet);
  font-size: 0.925rem;
}

form { margin-bottom: 1.25rem; }

.field { margin-bottom: 1.1rem; }

label { display: block; font-weight: 600; }

.hint { margin: 0.1rem 0 0; }

.fault { margin: 0; }
.fault:not(:empty) { margin-top: 0.4rem; }

.fault, .refused { color: var(--fault); font-weight: 550; }

input:not([type="checkbox"]) {
  width: 100%;
  min-height: 2.75rem;
  margin-top: 0.3rem;
  padding: 0.5rem 0.75rem;
  border: 1px solid var(--edge);
  border-radius: 0.5rem;
  background: var(--sheet);
  color: inherit;
  font: inherit;
}

input[aria-invalid="true"] {
  border-color: var(--fault);
  box-shadow: 0 0 0 1px var(--fault);
}

.choice {
  display: inline-flex;
  align-items: center;
  gap: 0.5rem;
  min-height: 2rem;
  margin-top: 0.35rem;
  font-weight: 400;
}

input[type="checkbox"] {
  width: 1.15rem;
  height: 1.15rem;
  margin: 0;
  accent-color: var(--accent);
}

button {
  width: 100%;
  min-height: 2.9rem;
  padding: 0.55rem 1rem;
  border: 1px solid transparent;
  border-radius: 0.5rem;
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 650;
  cursor: pointer;
}

button:hover { background: var(--accent-strong); }

form[aria-busy="true"] button { opacity: 0.65; cursor: progress; }

[role="status"] { margin: 0.9rem 0 0; }
[role="status"]:empty { margin: 0; }

details {
  margin-bottom: 0.75rem;
  padding: 0 1rem;
  border: 1px solid var(--line);
  border-radius: 0.6rem;
}

details[open] { padding-bottom: 1.1rem; }

summary {
  margin: 0 -1rem;
  padding: 0.7rem 1rem;
  border-radius: 0.6rem;
  font-weight: 650;
  cursor: pointer;
}

ul { margin: 0; padding-left: 1.2rem; }
li a { display: inline-block; padding-block: 0.35rem; }

noscript p { margin: 1rem 0 0; }

@media (scripting: none) {
  details { display: none; }
}

@media (prefers-reduced-motion: no-preference) {
  a, button, input { transition: background-color 120ms, border-color 120ms, color 120ms; }
}
`;
