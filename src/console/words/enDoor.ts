/** Sentences of coming and going, and of what could not be drawn or told apart. Pure. */
export const enDoor = {
  loginTitle: "Sign in",
  loginText: "Paste the token that claw serve printed, or an API token of yours.",
  token: "Token",
  login: "Sign in",
  loginIssuer: "Sign in at the issuer",
  wrongToken:
    "This token is not known here, has expired or was revoked. The one that claw serve printed counts once; claw token create --user local makes another.",
  loginEnded: "Your login has ended. What you were writing is kept.",
  signOutTitle: "Sign out?",
  signOutText:
    "To sign in again you need a token: the one that claw serve printed is spent. Another start prints a new one, or claw token create makes one.",
  signOut: "Sign out",
  broken: "This page could not be drawn",
  brokenHint: "Something answered that the console does not understand. Your sessions are not affected.",
  copyMark: " (copy)"
}
