import { ground } from './style.ts';

/** The look of the reference: contents beside the text, or behind a button where there is no room. */
export const referenceStyle = `${ground}
:root { --bar: 3.75rem; }

html { scroll-padding-top: calc(var(--bar) + 1rem); }

a { text-decoration-thickness: 1px; }

.skip {
  position: fixed;
  top: -6rem;
  left: 1rem;
  z-index: 3;
  padding: 0.6rem 1rem;
  border-radius: 0.375rem;
  background: var(--accent);
  color: var(--on-accent);
}
.skip:focus { top: 0.5rem; }

header {
  position: sticky;
  top: 0;
  z-index: 2;
  display: flex;
  align-items: center;
  gap: 0.75rem;
  height: var(--bar);
  padding-inline: 1rem;
  border-bottom: 1px solid var(--line);
  background: var(--ground);
}

.brand {
  display: flex;
  align-items: center;
  gap: 0.6rem;
  color: var(--ink);
  font-weight: 600;
  text-decoration: none;
  white-space: nowrap;
}

search { flex: 1; min-width: 0; }

input, header button {
  min-height: 2.5rem;
  padding: 0.35rem 0.75rem;
  border: 1px solid var(--edge);
  border-radius: 0.375rem;
  background: var(--sheet);
  color: inherit;
  font: inherit;
}

input { width: 100%; max-width: 32rem; }
input::placeholder { color: var(--quiet); opacity: 1; }

header button { cursor: pointer; font-weight: 600; }

nav {
  position: fixed;
  inset: var(--bar) 0 0;
  width: 100%;
  height: auto;
  margin: 0;
  padding: 1rem;
  overflow-y: auto;
  overscroll-behavior: contain;
  border: 0;
  background: var(--ground);
  color: inherit;
}

nav p { margin: 0.9rem 0 0.2rem; font-weight: 600; }
nav p a { color: var(--ink); text-decoration: none; }
nav p a:hover { text-decoration: underline; }
nav div:first-child > p { margin-top: 0; }
nav ul { margin: 0; padding: 0; list-style: none; }

nav a {
  display: flex;
  align-items: baseline;
  justify-content: space-between;
  gap: 0.5rem;
  padding: 0.3rem 0.5rem;
  border-radius: 0.375rem;
}
nav li a { color: var(--quiet); font-size: 0.925rem; line-height: 1.35; text-decoration: none; }
nav li a:hover { background: var(--sheet); color: var(--ink); }
nav b { font-size: 0.6875rem; }

b { letter-spacing: 0.02em; }
b.get { color: var(--get); }
b.post { color: var(--post); }
b.patch { color: var(--patch); }
b.delete { color: var(--delete); }

main { max-width: 76rem; padding: 1.5rem 1rem 4rem; }
main:focus { outline: none; }

#found { margin: 0; color: var(--quiet); }
#found:not(:empty) { margin-bottom: 1.5rem; }

h1 { margin: 0 0 0.75rem; font-size: 1.625rem; line-height: 1.2; letter-spacing: -0.018em; }
h1 .quiet { font-size: 1rem; font-weight: 400; }
h2 { margin: 3rem 0 0.5rem; font-size: 1.25rem; letter-spacing: -0.012em; }
h3 { margin: 0 0 0.25rem; font-size: 1.125rem; }
h4 { margin: 1.25rem 0 0.35rem; font-size: 0.875rem; color: var(--quiet); }
h2 a, h3 a { color: inherit; text-decoration: none; }
h2 a:hover, h3 a:hover { text-decoration: underline; }
h2 a, h3 a { display: inline-block; }

p { margin: 0 0 0.75rem; }
main > section > p, .introduction p { max-width: 44rem; }

.quiet { color: var(--quiet); font-size: 0.925rem; }

article {
  display: grid;
  gap: 0 2rem;
  margin-top: 1rem;
  padding: 1.5rem;
  border-radius: 0.875rem;
  background: var(--sheet);
}
article:target { outline: 2px solid var(--accent); outline-offset: -2px; }
article > * { min-width: 0; }

.call b { font-size: 0.875rem; }

.fields { margin: 0; }
.fields > div { padding-block: 0.5rem; border-top: 1px solid var(--line); }
.fields > div:target { background: var(--code); }
.fields dd { margin: 0; }
.fields dd > p { margin: 0.15rem 0 0; font-size: 0.925rem; }
.fields .fields { margin: 0.5rem 0 0 0.15rem; padding-left: 0.85rem; border-left: 2px solid var(--line); }
dt code { font-weight: 600; color: var(--ink); }
.type, .limits { color: var(--quiet); font-size: 0.875rem; }
.limits span:not(:last-child)::after { content: " ·"; }
.required { color: var(--fault); font-size: 0.8125rem; }
main p > a, dt a, .errors a, .shape a { display: inline-block; min-height: 1.5rem; }

.errors { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0; padding: 0; list-style: none; }
.errors a { padding: 0 0.5rem; border-radius: 0.375rem; background: var(--code); font-size: 0.875rem; text-decoration: none; }
.errors a:hover { text-decoration: underline; }

/* A shadow at the side on which there is more to see. */
pre {
  clear: both;
  margin: 0;
  padding: 0.85rem 1rem;
  overflow-x: auto;
  border-radius: 0.625rem;
  background:
    linear-gradient(to right, var(--code) 40%, transparent) left / 2.5rem 100% no-repeat local,
    linear-gradient(to left, var(--code) 40%, transparent) right / 2.5rem 100% no-repeat local,
    linear-gradient(to right, var(--edge), transparent) left / 0.6rem 100% no-repeat scroll,
    linear-gradient(to left, var(--edge), transparent) right / 0.6rem 100% no-repeat scroll,
    var(--code);
}
pre code { font-size: 0.78125rem; overflow-wrap: normal; }
.address { white-space: pre-wrap; }
.address > span { white-space: pre; }

.copy {
  float: right;
  margin-top: -1.75rem;
  padding: 0 0.625rem;
  border: 0;
  border-radius: 0.375rem;
  background: var(--code);
  color: var(--quiet);
  font: inherit;
  font-size: 0.8125rem;
  line-height: 1.5rem;
  cursor: pointer;
}
.copy:hover { color: var(--ink); }

@media (max-width: 59.99rem) {
  .brand span { position: absolute; clip-path: inset(50%); }
}

@media (min-width: 60rem) {
  header button { display: none; }
  .brand { width: 15.5rem; }
  body { display: grid; grid-template-columns: 17.5rem minmax(0, 1fr); }
  header { grid-column: 1 / -1; }
  nav, nav[popover] {
    position: sticky;
    inset: var(--bar) auto auto;
    display: block;
    width: auto;
    height: calc(100vh - var(--bar));
  }
  main { padding-inline: 1rem 2rem; }
}

@media (min-width: 76rem) {
  article { grid-template-columns: minmax(0, 9fr) minmax(0, 10fr); }
  article.shape { grid-template-columns: minmax(0, 44rem); }
}

@media (scripting: none) {
  search { visibility: hidden; }
}
`;
