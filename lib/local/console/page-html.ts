import type { ServerResponse } from 'node:http';

/** The page before its script runs. The token has only letters that need no escaping. */
export function pageHtml(token: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="belfry-token" content="${token}">
<title>Belfry</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/page.css">
</head>
<body>
<noscript>The console needs JavaScript. 'belfry jobs' and 'belfry runs' show the same in a terminal.</noscript>
<div id="console"></div>
<script type="module" src="/page.js"></script>
</body>
</html>
`;
}

export const PAGE_ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#c2761b" d="M16 3a2 2 0 0 0-2 2v.7C10 6.6 8 10 8 14v6l-3 4v1h22v-1l-3-4v-6c0-4-2-7.4-6-8.300V5a2 2 0 0 0-2-2zm-3 24a3 3 0 0 0 6 0z"/></svg>`;

/** Nothing from elsewhere is loaded, nobody may frame the page, and nothing of it is kept. */
export function setPageHeaders(response: ServerResponse): void {
  response.setHeader(
    'content-security-policy',
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('x-frame-options', 'DENY');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('cross-origin-resource-policy', 'same-origin');
  response.setHeader('cross-origin-opener-policy', 'same-origin');
  response.setHeader('cache-control', 'no-store');
}
