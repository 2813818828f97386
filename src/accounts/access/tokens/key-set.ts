import { Type } from 'typebox';

const part = () => Type.Optional(Type.String());

/** A public key (RFC 7517) that verifies signatures of this service. */
export const PublicKey = Type.Unsafe<Record<string, string>>(
  Type.Object(
    {
      kty: Type.String({ examples: ['OKP'] }),
      crv: part(),
      x: part(),
      y: part(),
      n: part(),
      e: part(),
      kid: Type.String({ description: 'Id of the key, as in the header of a signature.' }),
      use: Type.Literal('sig'),
      alg: Type.String({ examples: ['EdDSA'] }),
    },
    { title: 'PublicKey' },
  ),
);

export const KeySet = Type.Object({ keys: Type.Array(PublicKey) }, { title: 'KeySet' });
