import { Type } from 'typebox';
import { PublicKey } from '../../../../accounts/access/tokens/key-set.ts';

const address = () => Type.String({ format: 'uri' });

/** The schemas of the resources that verifiers of credentials fetch. */
export const Issuer = Type.Object(
  {
    id: address(),
    type: Type.Array(Type.String(), { examples: [['Profile']] }),
    name: Type.String({ examples: ['Plaudit'] }),
    url: address(),
    otherIdentifier: Type.Optional(
      Type.Array(Type.Object({ type: Type.String(), identifier: Type.String(), identifierType: Type.String() }), {
        description: 'The DID of the service, where it has one.',
      }),
    ),
  },
  { title: 'Issuer' },
);

const VerificationMethod = Type.Object(
  {
    id: Type.String({ examples: ['did:web:plaudit.example.org#key'] }),
    type: Type.Literal('JsonWebKey2020'),
    controller: Type.String({ examples: ['did:web:plaudit.example.org'] }),
    publicKeyJwk: PublicKey,
  },
  { title: 'VerificationMethod' },
);

export const DidDocument = Type.Object(
  {
    '@context': Type.Array(Type.String()),
    id: Type.String({ examples: ['did:web:plaudit.example.org'] }),
    alsoKnownAs: Type.Array(address()),
    verificationMethod: Type.Array(VerificationMethod),
    assertionMethod: Type.Array(Type.String()),
  },
  { title: 'DidDocument' },
);

export const RevocationList = Type.Object(
  {
    id: address(),
    issuer: address(),
    revokedCredential: Type.Array(Type.Object({ id: Type.String(), revoked: Type.Literal(true) }), { maxItems: 1 }),
  },
  { title: 'RevocationList' },
);
