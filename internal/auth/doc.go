// Package auth finds out who a request is from: a person with a session cookie, a
// program with an API token, or nobody.
//
// People sign in with a password, with a one-time link or through an OpenID Connect
// provider; whichever way, the result is a session whose secret only the browser
// holds. Tokens act for a user with some of the user's roles. Roles are read anew
// with every request, so taking one away works at once.
//
// The package stores no secret that it could give back: passwords are kept with
// argon2id, sessions, tokens and links as hashes of random secrets. It never logs
// one, and it does not decide what a role may do.
package auth
