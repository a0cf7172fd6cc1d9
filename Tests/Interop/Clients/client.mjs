// Node without any package: `connect` opens tunnels by hand (Node 20 knows no proxy), `fetch` relies on NODE_USE_ENV_PROXY.
import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';
import { createHash } from 'node:crypto';

const [way, base] = process.argv.slice(2);
const proxy = new URL(process.env.HTTPS_PROXY ?? process.env.https_proxy);

function tunnel(host, port) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: `${host}:${port}`, headers: { Host: `${host}:${port}` } });
    request.on('connect', (answer, socket) => {
      if (answer.statusCode !== 200) return reject(new Error(`CONNECT ${answer.statusCode}`));
      const secure = tls.connect({ socket, servername: host }, () => resolve(secure));
      secure.on('error', reject);
    });
    request.on('error', reject);
    request.end();
  });
}

async function overTunnel(method, path, body, headers = {}) {
  const url = new URL(base + path);
  const socket = await tunnel(url.hostname, url.port || 443);
  return new Promise((resolve, reject) => {
    const request = https.request(url, { method, headers, createConnection: () => socket }, (answer) => {
      const pieces = [];
      answer.on('data', (piece) => pieces.push(piece));
      answer.on('end', () => resolve({ status: answer.statusCode, body: Buffer.concat(pieces), raw: answer.rawHeaders }));
      answer.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function overFetch(method, path, body, headers = {}) {
  const answer = await fetch(base + path, { method, body, headers });
  return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()), raw: [] };
}

const call = way === 'fetch' ? overFetch : overTunnel;
for (const [method, path, body, headers] of [
  ['GET', '/bytes/50?access_token=query-secret-1234', undefined, { Authorization: 'Bearer bearer-secret-4711' }],
  ['POST', '/upload', JSON.stringify({ password: 'json-secret-9876' }), { 'Content-Type': 'application/json' }],
  ['GET', '/chunks?sizes=1,20,3000'],
  ['GET', '/bytes/300000?seed=node'],
  ['GET', '/empty'],
]) {
  const answer = await call(method, path, body, headers);
  console.log(answer.status, answer.body.length, createHash('sha256').update(answer.body).digest('hex'), answer.raw.join('|'));
}
