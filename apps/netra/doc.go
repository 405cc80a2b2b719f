// Package netra is the app for district administrations: it turns published reports
// into a risk score per district, says why, and watches for change.
//
// Numbers come from apps/netra/engine alone; reports become signals in
// apps/netra/ingest, redacted before anything is stored; records are kept by
// apps/netra/book. A score of 30 and above is a crossing and opens a case; from 75 on
// a senior officer must acknowledge it. Officers say afterwards whether a score was a
// false alarm, which is published and changes no weight: weights change only by a
// proposal with its back-test that a second person approves.
//
// The app describes districts and never people, predicts nothing, and acts on nothing
// outside: every output says that it supports decisions and makes none.
package netra
