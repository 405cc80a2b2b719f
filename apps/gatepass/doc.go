// Package gatepass lets HR, admin and gate desks work with gate passes by talking or
// by REST: HR creates and prints them, admins approve, reject and delete them, the
// gate scans people out and in with a photo, and everybody can ask who is out.
//
// The app is the Gate Pass API itself (packages office and rest) and three agents,
// one per desk, whose tools are the operations of that API (package operation) called
// over HTTP through the API client (package client), so that they can be pointed at
// another installation's API by configuration. Without a model a grammar (package
// grammar) understands people; with one the model chooses, and the same checks hold:
// roles before any call, states by rule, deletion only after a person agreed to
// exactly that, photos by content.
//
// A late return opens a case, reminds HR and then the admins. The app never lets a
// code alone open a gate: a QR code is checked offline by its signature, and every
// scan is checked again against the record.
package gatepass
