/** A sign-in of a person at the host, which the service began. */
export interface BegunSignIn {
  /** The address of this service to which the host sends the browser back. */
  redirectUrl: string;
  state: string;
  /** Bound to the ID token of a host that issues one. */
  nonce: string;
  /** The secret of PKCE (RFC 7636). */
  codeVerifier: string;
}

/** Signs people in with their accounts at the host. Absent: the service is not registered there as a client. */
export interface SignIn {
  /** The origin of the page on which people sign in. */
  readonly origin: string;
  /** Returns the address of that page. */
  begin(begun: BegunSignIn): Promise<string>;
  /**
   * Exchanges the code of the host's response for a token of the person, which proves ownership.
   * @param response the parameters with which the browser came back.
   * @throws AppError `invalid_input` when the response does not belong to this sign-in; `forbidden` when the person or
   * the host refused; `provider_unavailable`.
   */
  finish(begun: BegunSignIn, response: URLSearchParams, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}
