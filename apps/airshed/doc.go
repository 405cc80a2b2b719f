// Package airshed is the app for an air-quality commission: it finds pollution surges
// at the border stations of a city, the fires in neighbouring states that stand behind
// them, and writes and files the legal report.
//
// A sweep reads the newest object of the data lake, by the clock, on an event or by
// hand, and opens one case for each surge that no case is about yet. In the case an
// agent reads the data, has the rules judge surge, fires, wind and confidence, drafts
// the report and asks to file it. A legal officer decides; after that the report goes
// to a file, to the object store and to the Commission, once.
//
// Its numbers: an index above 300 is a surge; fires count within 200 km and 48 hours;
// a state with more than 100 is a high contributor; the confidence is 100 less 40
// without fire data, 20 without a stubble share, 10 for fewer than 50 fires and 10 for
// a mean distance beyond 150 km, never under 30. All of them are configuration.
//
// It may never address a farmer, cite a penalty against one, let the wind or the
// stubble share change the confidence, or file a report that nobody approved, unless
// the operator allowed that above a confidence.
package airshed
