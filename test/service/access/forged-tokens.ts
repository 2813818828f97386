import { createPublicKey, type KeyObject } from 'node:crypto';
import { eddsa, forge, hmac, type Pair, type Parts } from '../../integration/access/forge-token.ts';

/** The material that an attacker starts with. */
export interface ForgeryMaterial {
  /** A valid token. */
  token: string;
  good: Parts;
  /** The key as the service publishes it. */
  publicKey: Record<string, string>;
  /** The service's private key, which no attacker has: with it, a forged token is wrong in one place alone. */
  privateKey: KeyObject;
  attacker: Pair;
  /** The URL at which the attacker serves keys. */
  attackerUrl: string;
  service: string;
}

const change = ({ good }: ForgeryMaterial, header: object, payload: object = {}): Parts => ({
  header: { ...good.header, ...header },
  payload: { ...good.payload, ...payload },
});

/** Returns tokens with a forged key, algorithm or header, by their fault. */
export function withForgedHeaders(material: ForgeryMaterial): Record<string, string> {
  const { token, good, attacker, attackerUrl } = material;
  const byService = eddsa(material.privateKey);
  const byAttacker = eddsa(attacker.privateKey);
  const altered = (header: object): Parts => change(material, header);
  const spki = createPublicKey({ key: { ...material.publicKey }, format: 'jwk' });
  const pem = spki.export({ type: 'spki', format: 'pem' }).toString();
  const der = spki.export({ type: 'spki', format: 'der' });
  const raw = Buffer.from(material.publicKey['x'] ?? '', 'base64url');
  const x5c = [Buffer.from('x').toString('base64')];
  const attackerJwk = attacker.publicKey.export({ format: 'jwk' });
  const [head, body, signature = ''] = token.split('.');
  return {
    'alg none': forge(altered({ alg: 'none' })),
    'alg None': forge(altered({ alg: 'None' })),
    'alg NONE with the signature': `${forge(altered({ alg: 'NONE' }))}${signature}`,
    'no signature': `${head}.${body}.`,
    'two parts': `${head}.${body}`,
    'HS256 with the public key, PEM': forge(altered({ alg: 'HS256' }), hmac(pem)),
    'HS256 with the public key, DER': forge(altered({ alg: 'HS256' }), hmac(der)),
    'HS256 with the public key, raw': forge(altered({ alg: 'HS256' }), hmac(raw)),
    'HS256 with nothing': forge(altered({ alg: 'HS256' }), hmac('')),
    'alg ES256': forge(altered({ alg: 'ES256' }), byService),
    'alg RS256': forge(altered({ alg: 'RS256' }), byService),
    'alg a list': forge(altered({ alg: ['EdDSA'] }), byService),
    'alg missing': forge({ header: { typ: 'at+jwt', kid: good.header['kid'] }, payload: good.payload }, byService),
    'signed with another key': forge(good, byAttacker),
    'embedded jwk': forge(altered({ jwk: attackerJwk }), byAttacker),
    'embedded jwk, well signed': forge(altered({ jwk: attackerJwk }), byService),
    jku: forge(altered({ jku: attackerUrl, kid: 'k' }), byAttacker),
    'jku, well signed': forge(altered({ jku: attackerUrl }), byService),
    x5u: forge(altered({ x5u: attackerUrl }), byAttacker),
    x5c: forge(altered({ x5c }), byService),
    crit: forge(altered({ crit: ['exp'] }), byService),
    'crit of something unknown': forge(altered({ crit: ['x'], x: 1 }), byService),
    'b64 false': forge(altered({ b64: false, crit: ['b64'] }), byService),
    'typ missing': forge({ header: { alg: 'EdDSA', kid: good.header['kid'] }, payload: good.payload }, byService),
    'typ JWT': forge(altered({ typ: 'JWT' }), byService),
    'typ a number': forge(altered({ typ: 1 }), byService),
    'kid missing': forge({ header: { alg: 'EdDSA', typ: 'at+jwt' }, payload: good.payload }, byService),
    'kid unknown': forge(altered({ kid: 'x'.repeat(43) }), byAttacker),
    'kid a path': forge(altered({ kid: '../../../../../dev/null' }), hmac('')),
    'kid SQL': forge(altered({ kid: "' or 1=1 --" }), byAttacker),
    'kid SQL union': forge(altered({ kid: "x' union select 'AA' --" }), hmac('AA')),
    'kid with a null byte': forge(altered({ kid: `${String(good.header['kid'])}\0` }), byService),
    'kid an object': forge(altered({ kid: { id: good.header['kid'] } }), byService),
    'kid very long': forge(altered({ kid: 'k'.repeat(3000) }), byService),
  };
}

/** Returns tokens with forged claims, by their fault. All are signed by the service's own key. */
export function withForgedClaims(material: ForgeryMaterial): Record<string, string> {
  const sign = eddsa(material.privateKey);
  const claiming = (payload: object): string => forge(change(material, {}, payload), sign);
  const without = (claim: string): string => {
    const { [claim]: _, ...payload } = material.good.payload;
    return forge({ header: material.good.header, payload }, sign);
  };
  const iat = Number(material.good.payload['iat']);
  return {
    'aud missing': without('aud'),
    'aud of another service': claiming({ aud: 'https://other.example' }),
    'aud with a slash': claiming({ aud: `${material.service}/` }),
    'aud of several': claiming({ aud: [material.service, 'https://other.example'] }),
    'iss missing': without('iss'),
    'iss of another': claiming({ iss: 'https://other.example' }),
    'sub missing': without('sub'),
    'sub empty': claiming({ sub: '' }),
    'sub of no account': claiming({ sub: '00000000-0000-7000-8000-000000000000' }),
    'sub SQL': claiming({ sub: "x' or true --" }),
    'sub a name': claiming({ sub: `github/${String(material.good.payload['name'])}` }),
    'exp missing': without('exp'),
    'exp over': claiming({ exp: iat - 31 }),
    'exp text': claiming({ exp: String(iat + 600) }),
    'nbf in the future': claiming({ nbf: iat + 31 }),
    'nbf missing': without('nbf'),
    'iat missing': without('iat'),
    'exp in the far future': claiming({ exp: iat + 10 * 365 * 86_400 }),
    'jti missing': without('jti'),
    'scope missing': without('scope'),
    'scope unknown': claiming({ scope: 'read manage admin' }),
  };
}

/** Returns texts that are hardly tokens, by their fault. */
export function misshapen({ token, good }: ForgeryMaterial): Record<string, string> {
  const [head, body, signature] = token.split('.');
  return {
    'a changed payload': `${head}.${Buffer.from(JSON.stringify({ ...good.payload, name: 'x' })).toString('base64url')}.${signature}`,
    'a changed signature': `${head}.${body}.${Buffer.alloc(64, 7).toString('base64url')}`,
    'too long': `${head}.${body}.${'A'.repeat(9000)}`,
    'five parts': `${head}.${body}.${signature}.x.y`,
    'payload that is no JSON': `${head}.${Buffer.from('x').toString('base64url')}.${signature}`,
    'header that is no JSON': `${Buffer.from('x').toString('base64url')}.${body}.${signature}`,
    truncated: 'eyJ.eyJ.x',
  };
}
