/** A screen that is still on its way. */
export const Coming = () => (
  <main class="sheet" aria-busy="true">
    <div class="scroll" aria-busy="true" />
  </main>
);
