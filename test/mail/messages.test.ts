import { describe, expect, it } from 'vitest';
import { createConfig } from '../../src/config.ts';
import * as messages from '../../src/mail/messages.ts';

const config = createConfig({ server: { public_url: 'https://errand.example' } });
const ADDRESS = 'ada@example.com';
const BOB = { name: 'Bob', email: 'bob@example.com' };
const TOKEN = 'dG9rZW4_dG9rZW4-dG9rZW4';

const withToken = {
  confirmSignup: [messages.confirmSignup(config, TOKEN), '/confirm-signup'],
  resetPassword: [messages.resetPassword(config, TOKEN), '/reset-password'],
  confirmEmail: [messages.confirmEmail(config, 'old@example.com', TOKEN), '/confirm-email'],
  confirmTelegramSignup: [messages.confirmTelegramSignup(config, '@ada', TOKEN), '/confirm-signup'],
  invitation: [
    messages.invitation(config, { inviter: BOB, workspaceTitle: "Bob's workspace", role: 'member' }, TOKEN),
    '/accept-invitation',
  ],
  keepEmail: [messages.keepEmail(config, 'new@example.com', TOKEN), '/keep-email'],
} as const;

const all = [
  ...Object.values(withToken).map(([message]) => message),
  messages.accountExists(config, ADDRESS),
  messages.loginCode('012345'),
  messages.passwordChanged(config, ADDRESS),
  messages.passwordRemoved(config, ADDRESS),
  messages.addressTaken(config, ADDRESS),
  messages.sessionsEnded(config, ADDRESS),
  messages.signInMethodChanged(config, ADDRESS, 'Google', 'added'),
  messages.deliveryTest(),
  messages.ownerChanged(config, { to: ADDRESS, other: BOB, workspaceTitle: 'Home', isNew: true }),
  messages.signupsWaiting(config, ADDRESS),
  messages.openedWithoutPassword(config, ADDRESS),
  messages.apiTokenCreated(config, ADDRESS, 'Report'),
  messages.apiTokenExpiring(config, ADDRESS, 'Report', '2026-04-01'),
];

describe('messages', () => {
  it('are all looked at here', () => {
    expect(all).toHaveLength(Object.keys(messages).filter((name) => name !== 'message').length);
  });

  it.each(Object.entries(withToken))(
    '%s carries the link and the bare token, in text and HTML',
    (_name, [message, page]) => {
      const link = `https://errand.example${page}#token=${TOKEN}`;
      expect(message.text.split('\n')).toEqual(expect.arrayContaining([`Link: ${link}`, `Token: ${TOKEN}`]));
      expect(message.html).toMatch(/<body[^>]*>\n<p[^>]*><strong>Errand<\/strong><\/p>/);
      const [, button = '', label] = /<a ([^>]*)>(.*)<\/a>/.exec(message.html) ?? [];
      expect(button).toContain(`href="${link}" style="display:inline-block;padding:`);
      expect(label).toMatch(/^[A-Z][a-z ]+$/);
      expect(message.html).toContain(
        `If an app asks you for the token of this mail, it is <code>${TOKEN}</code>`,
      );
      expect(message).toMatchObject({ link, token: TOKEN });
    },
  );

  it('the sign-in code stands on a line of its own, leading zero and all, and not in the subject', () => {
    const message = messages.loginCode('012345');
    expect(message.text.split('\n')).toContain('Code: 012345');
    expect(message.html).toContain('<code>012345</code>');
    expect(message.subject).not.toContain('012345');
  });

  it('an invitation names inviter and workspace, and nothing in them that reads as an address', () => {
    const about = { inviter: BOB, workspaceTitle: "Bob's workspace", role: 'admin' };
    expect(messages.invitation(config, about, TOKEN).text).toContain(
      "Bob (bob@example.com) invites you to the workspace “Bob's workspace” in Errand at https://errand.example, as an admin.",
    );
    const hostile = {
      inviter: { name: 'Support https://evil.example\r\nBcc: x', email: 'a.b.c.d@evil.example' },
      workspaceTitle: 'www.evil.example',
      role: 'member',
    };
    expect(messages.invitation(config, hostile, TOKEN).text).toContain(
      'Support … Bcc: x (a…@evil.example) invites you to a workspace in Errand at https://errand.example, as a member.',
    );
    const nameless = { ...about, inviter: { ...BOB, name: 'evil.example' } };
    expect(messages.invitation(config, nameless, TOKEN).text).toMatch(/^bob@example\.com invites you/);
  });

  it('a change of address names the present one to the new one, and that it can be taken back', () => {
    const { text } = messages.confirmEmail(config, 'old@example.com', TOKEN);
    expect(text).toContain('the one of old@example.com at https://errand.example');
    expect(text).toContain('it takes over that one');
    expect(text).toContain('can take it back for 7 days');
    const hostile = messages.confirmEmail(config, 'go-to-www.evil.com@evil.example', TOKEN);
    expect(hostile.text).not.toContain('www.evil');
  });

  it('links follow the templates of the settings', () => {
    const own = createConfig({ mail: { link_reset_password: 'https://app.example/r?t={token}&x=1' } });
    const message = messages.resetPassword(own, 'a+b');
    expect(message.text).toContain('Link: https://app.example/r?t=a%2Bb&x=1');
    expect(message.text).toContain('Token: a+b');
    expect(message.html).toContain('href="https://app.example/r?t=a%2Bb&amp;x=1"');
  });

  it('escapes in HTML whatever it is given, and leaves the text as it is', () => {
    const hostile = `<script>alert("1")</script> & 'http://phish.example'`;
    const { text, html } = messages.message({
      subject: hostile,
      paragraphs: [hostile],
      link: { label: hostile, url: 'https://x.example/"onmouseover="alert(1)' },
      token: hostile,
      code: hostile,
    });
    expect(text).toContain(hostile);
    expect(html).not.toContain('<script>');
    expect(html).not.toContain('"onmouseover');
    expect(html).toContain(
      '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;http://phish.example&#39;',
    );
  });

  const noticesOfAccount = [
    messages.signupsWaiting(config, ADDRESS),
    messages.openedWithoutPassword(config, ADDRESS),
    messages.accountExists(config, ADDRESS),
    messages.passwordChanged(config, ADDRESS),
    messages.passwordRemoved(config, ADDRESS),
    messages.addressTaken(config, ADDRESS),
    messages.sessionsEnded(config, ADDRESS),
    messages.signInMethodChanged(config, ADDRESS, 'Google', 'removed'),
    messages.apiTokenCreated(config, ADDRESS, 'Report'),
    messages.apiTokenExpiring(config, ADDRESS, 'Report', '2026-04-01'),
  ];

  it('notices carry neither link nor secret', () => {
    for (const message of [...noticesOfAccount, messages.deliveryTest()]) {
      expect(Object.keys(message).sort()).toEqual(['html', 'subject', 'text']);
      expect(message.text).not.toMatch(/^(Link|Token|Code):/m);
      expect(message.html).not.toContain('href');
    }
  });

  it('notices about an account name its address and its server', () => {
    for (const { text } of noticesOfAccount) {
      expect(text).toContain(ADDRESS);
      expect(text).toContain('https://errand.example');
    }
  });

  it('every subject is one line of ASCII, and no HTML loads anything', () => {
    for (const { subject, html, text } of all) {
      expect(subject).toMatch(/^[\x20-\x7e]{1,78}$/);
      expect(text).not.toBe('');
      expect(html).toMatch(/^<!doctype html>/);
      expect(html).not.toMatch(/<(img|script|link|iframe)|src=|url\(/i);
    }
  });
});
