import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isFromProgram } from '../../../src/http/pipeline/images.ts';

type Sent = Parameters<typeof isFromProgram>[0];

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** The headers of clients that show images to people. */
const readers: Record<string, Sent> = {
  'Chrome, an image': {
    accept: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
    'user-agent': chrome,
  },
  'Firefox 60, an image': { accept: '*/*', 'user-agent': firefox },
  'a script of a page': { accept: '*/*', 'user-agent': chrome, 'sec-fetch-dest': 'empty' },
  'a browser without a name': { accept: '*/*', 'user-agent': 'Private', 'sec-fetch-dest': 'image' },
  'a page that is left': { accept: '*/*', 'user-agent': 'Viewer/1', referer: 'https://example.org/' },
  'go-camo': { accept: 'image/*, image/svg+xml', 'user-agent': 'go-camo', via: 'go-camo' },
  'go-camo with another name': { accept: 'image/*, image/svg+xml', 'user-agent': 'acme', via: 'acme' },
  'camo for a browser': {
    accept: 'image/webp,*/*',
    'user-agent': 'Camo Asset Proxy 2.3.0',
    via: 'Camo Asset Proxy 2.3.0',
  },
  'camo for an old browser': { accept: '*/*', 'user-agent': 'Camo Asset Proxy 2.3.0', via: 'Camo Asset Proxy 2.3.0' },
  'camo with another name for an old browser': { accept: '*/*', 'user-agent': 'Acme Assets', via: 'Acme Assets' },
  "GitHub's camo": { accept: '*/*', 'user-agent': 'github-camo (a1b2c3d4)' },
  Gmail: {
    accept: '*/*',
    'user-agent': 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  },
  imgproxy: { 'user-agent': 'imgproxy/3.30.0' },
  Slack: { accept: '*/*', 'user-agent': 'Slack-ImgProxy (+https://api.slack.com/robots)' },
  Facebook: {
    accept: '*/*',
    'user-agent': 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  },
  'a proxy in Go': { 'user-agent': 'Go-http-client/1.1' },
  'Cloudflare, resizing': { accept: '*/*', 'user-agent': 'curl/8.14.1', via: '1.1 image-resizing-proxy' },
  'a client without a name': { accept: '*/*' },
};

/** The headers of programs. */
const programs: Record<string, Sent> = {
  curl: { accept: '*/*', 'user-agent': 'curl/8.14.1' },
  Wget: { accept: '*/*', 'user-agent': 'Wget/1.25.0' },
  'fetch of Node': { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' },
  'node-fetch': { accept: '*/*', 'user-agent': 'node-fetch' },
  axios: { accept: 'application/json, text/plain, */*', 'user-agent': 'axios/1.12.2' },
  requests: { accept: '*/*', 'user-agent': 'python-requests/2.32.5' },
  Java: { accept: 'text/html, */*; q=0.2', 'user-agent': 'Java/21.0.4' },
  'curl behind Caddy': { accept: '*/*', 'user-agent': 'curl/8.14.1', via: '1.1 Caddy' },
  'curl behind two proxies': { accept: '*/*', 'user-agent': 'curl/8.14.1', via: 'HTTP/2.0 edge, 1.1 google' },
};

describe('readers of images', () => {
  it('are people for browsers, image proxies and clients that could be either', () => {
    for (const [name, headers] of Object.entries(readers)) assert.equal(isFromProgram(headers), false, name);
  });

  it('are programs where nothing in the request names images, a page or a browser', () => {
    for (const [name, headers] of Object.entries(programs)) assert.equal(isFromProgram(headers), true, name);
  });
});
