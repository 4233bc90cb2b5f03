// Pictures of every screen of the web client: `npx node test/browser/web-screenshots.ts [FOLDER] [NAME…]`.

import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWeb } from '../../src/web/build.mjs';
import { studio } from '../web/fake-api.ts';
import { openWorld } from '../world.ts';
import { SCENES } from './scenes.ts';
import { launchBrowser } from './visit.ts';
import { openScene } from './web-visit.ts';

const [folder = join(tmpdir(), 'errand-screenshots'), ...names] = process.argv.slice(2);
const SIZES = { 360: 740, 768: 1024, 1280: 800 };

mkdirSync(folder, { recursive: true });
await buildWeb();
const browser = await launchBrowser();
const world = await openWorld();
for (const scene of SCENES) {
  if (names.length > 0 && !names.includes(scene.name)) continue;
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [width, height] of Object.entries(SIZES)) {
      const visit = await openScene(browser, world.app, scene, studio(), {
        colorScheme,
        viewport: { width: Number(width), height },
        reducedMotion: 'reduce',
        hasTouch: Number(width) < 768,
        isMobile: Number(width) < 768,
      });
      const path = join(folder, `${scene.name}-${colorScheme}-${width}.png`);
      await visit.page.screenshot({ path });
      console.log(path);
      await visit.end();
    }
  }
}
await browser.close();
await world.close();
