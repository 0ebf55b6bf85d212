/** HTTPS on this machine: a pair of key and certificate, and trust in it for one scope. */
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { Effect } from "effect"

/** A throw-away pair for localhost, good for a hundred years and for nothing else. */
export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgfX0SrG9x88W5JH8w
NhpdIianvHPSovm8O7DjGeHAFy2hRANCAARrKDe1wV3lq/OT9EdYnY6PO8pGUcnv
3W/cM33nTpD5bir8XSK39XdiwZy+ObkDQ3PQnLUzkgu35GLM7/oLTOBg
-----END PRIVATE KEY-----`
export const cert = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUEkjak9mObKl0cwRnclNShI4fEckwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyOTE1NTg1NFoYDzIxMjYxMTA1
MTU1ODU0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARrKDe1wV3lq/OT9EdYnY6PO8pGUcnv3W/cM33nTpD5bir8XSK39Xdi
wZy+ObkDQ3PQnLUzkgu35GLM7/oLTOBgo28wbTAdBgNVHQ4EFgQUjVpXrJR6pGr0
0xhKmOoWrVXZb8owHwYDVR0jBBgwFoAUjVpXrJR6pGr00xhKmOoWrVXZb8owDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgMztiwf1j21pQ+ZehT7EbsQrrY4RMxw+7w/jr7YO5C6gCIQCA
OUXzkRbyxx13NbwkgnwsVvY+r+VHFKYSxdJnePcWrQ==
-----END CERTIFICATE-----`

/** Until the scope ends. */
export const trusted = Effect.acquireRelease(
  Effect.sync(() => {
    const before = getCACertificates("default")
    setDefaultCACertificates([...before, cert])
    return before
  }),
  (before) => Effect.sync(() => setDefaultCACertificates(before))
)
