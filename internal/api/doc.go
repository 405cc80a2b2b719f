// Package api serves the product over HTTP: REST under /api/v1 described by one
// OpenAPI document, server-sent events for everything live, outgoing webhooks, and
// the console.
//
// A [Server] is built from what it reads ([Records]) and what it may set in motion;
// apps add their own operations through the same guard. Every operation is
// registered through that guard, which names the roles it needs, checks them before
// the handler runs and turns errors into problem details. A handler decodes, calls
// one method of the core and encodes.
//
// The package decides who may see and do what. It computes nothing about cases and
// never talks to a database or a model.
package api
