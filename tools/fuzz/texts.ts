/** Text of every kind that a JSON string may hold, to be stored and given back. */
export const STRANGE_TEXTS = [
  'é', // composed
  'e\u0301', // the same, combining
  `a${'\u0300\u0301\u0302\u0303'.repeat(20)}`,
  '\u202eltr\u202c \u2066isolate\u2069',
  'שלום עולם',
  'مرحبا بالعالم',
  '👩‍👩‍👧‍👦 🏳️‍🌈 🇫🇷',
  '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈 𠜎',
  '\u{10ffff}\ufffe\ufdd0',
  '\ufeffBOM and \u200bzero\u200dwidth\u2060',
  'İıſK ß ẞ ﬁ Ω Å',
  '买牛奶 牛乳を買う 우유 사기 ซื้อนม',
  'ﷺ',
  'line\nbreak\ttab\r\n\u2028\u2029\u0085',
  '\u0001\u0007\u001b[31m\u007f\u009b',
  "'; drop table tasks; --",
  '" OR 1=1 --',
  'title:milk NEAR(a b) AND -NOT* ^"x" {a b}:c',
  '%00 %ff %2e%2e/ ../../etc/passwd',
  '<script>alert(1)</script> {{7*7}} #{7*7} %s %n',
  '__proto__',
  'constructor',
  'null',
  'undefined',
  'NaN',
  '0',
  '-1',
  '1e308',
  '*',
  '_',
  '%',
  '\\',
  '"',
];

/** What no string in a body may hold; JSON writes half a surrogate pair as an escape. */
export const FORBIDDEN_TEXTS = ['\0', 'a\0b', '\ud800', 'x\udfffy', '\udc00\ud800'];

/** Numbers that JSON can write and that are finite. */
export const STRANGE_NUMBERS = [
  0,
  -0,
  -1,
  0.1,
  1e308,
  -1e308,
  5e-324,
  1.7976931348623157e308,
  2 ** 31,
  2 ** 53,
  2 ** 53 + 2,
  -(2 ** 63),
  1e21,
  1e-7,
];

/** Instants that are accepted. */
export const EDGE_INSTANTS = [
  '1900-01-01T00:00:00Z',
  '1900-01-01T00:00:00.000+00:00',
  '9999-12-31T23:59:59.999Z',
  '1969-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00Z',
  '2024-02-29T12:00:00Z',
  '2000-02-29T23:59:59.999999999Z',
  '2026-03-29T02:30:00+01:00',
  '2026-10-25T02:30:00+02:00',
  '2026-06-01t00:00:00z',
  '2026-06-01T00:00:00-23:59',
  '2026-06-01T00:00:00+23:59',
  '2038-01-19T03:14:08Z',
  '2026-12-31T23:59:59.9Z',
  '2026-06-01T00:00:00.1234567890Z',
];

/** Instants that are rejected. */
export const BROKEN_INSTANTS = [
  '',
  'now',
  '2026-06-01',
  '2026-06-01T00:00:00',
  '2026-06-01 00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-06-01T24:00:00Z',
  '2026-06-01T23:59:60Z',
  '2026-06-01T00:00:00+24:00',
  '1899-12-31T23:59:59.999Z',
  '1900-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-00:01',
  '10000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '٢٠٢٦-06-01T00:00:00Z',
  ' 2026-06-01T00:00:00Z',
  '1780272000',
];

export const BROKEN_EMAILS = [
  '',
  'ada',
  'ada@',
  '@example.com',
  'ada@example',
  'ada@@example.com',
  'ada @example.com',
  'ada@exa mple.com',
  'ädä@example.com',
  'ada@example.com\r\nBcc: eve@example.com',
  `${'a'.repeat(250)}@example.com`,
];

/** Text that is no JSON, or JSON that is no object. */
export const BROKEN_JSON = [
  '{',
  '}',
  '{"a":1,}',
  "{'a':1}",
  '{"a":01}',
  '{"a":NaN}',
  '{"a":Infinity}',
  '{"a":0x1}',
  '{"a":"\t"}',
  '{"a":"\\x41"}',
  '{"a":"\\u12"}',
  '{"a":1}{}',
  '\ufeff{}',
  'undefined',
  '[]',
  '[{}]',
  'null',
  'true',
  '0',
  '"{}"',
  '/**/{}',
  '['.repeat(5_000),
  '{"a":'.repeat(2_000),
  `{"a":${'['.repeat(40)}${']'.repeat(40)}}`,
  `{"a":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`,
];

/** Bytes that are no UTF-8, within what would be JSON. */
export const BROKEN_BYTES = [
  [0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d],
  [0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc0, 0xaf, 0x22, 0x7d],
  [0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d],
  [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00],
].map((bytes) => Uint8Array.from(bytes));

export const BROKEN_CONTENT_TYPES = [
  'text/plain',
  'text/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  'application/json; charset=utf-16',
  'application/json; charset=iso-8859-1',
  'application/merge-patch+json',
  '*/*',
  ';',
];

/** Ids in a path that name nothing. */
export const UNKNOWN_IDS = [
  '00000000-0000-0000-0000-000000000000',
  '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'malformed',
  '0',
  '-1',
  '__proto__',
  'constructor',
  '*',
  '%',
  "' or 1=1 --",
  '\0',
  'a/b',
  '👾',
  'x'.repeat(300),
];

/** What may stand in an Authorization header and opens nothing; none at all is the first. */
export const FORGED_AUTHORIZATIONS = [
  undefined,
  '',
  'Bearer',
  'Bearer ',
  'Bearer undefined',
  'Bearer null',
  'Basic YWRhOnBhc3N3b3Jk',
  'Token x',
  'Bearer a.b.c',
  'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.',
  `Bearer ${'x'.repeat(5_000)}`,
  'Bearer x, Bearer y',
];

/** Valid headers that nobody asked for. */
export const STRANGE_HEADERS: Record<string, string>[] = [
  { 'X-Request-Id': 'mine' },
  { 'X-Forwarded-For': '1.2.3.4, ::1, unknown, <x>' },
  { Forwarded: 'for=1.2.3.4;host=evil.example' },
  { 'X-Forwarded-Host': 'evil.example' },
  { 'X-HTTP-Method-Override': 'DELETE' },
  { 'If-None-Match': '*' },
  { Range: 'bytes=0-0' },
  { Accept: 'text/html;q=0.1, application/xml' },
  { 'Accept-Encoding': 'br, gzip, zstd' },
  { 'Accept-Language': 'fr, *;q=0.1' },
  { Origin: 'https://evil.example' },
  { Cookie: 'session=1; __Host-x=y' },
  { 'User-Agent': 'ü'.repeat(400) },
  { 'Content-Encoding': 'identity' },
];
