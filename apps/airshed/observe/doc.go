// Package observe holds what was seen: station readings, fires, the stubble share
// and the wind, together in one [Snapshot] as an ingester wrote it to the data lake.
//
// [Decode] reads a snapshot in the two shapes that ingesters write (the object with
// cpcb_data, nasa_data and dss_data, and the flat list of records) and says for every
// field that it could not use where it stands and what is wrong with it. Nothing here
// judges what the facts mean: that is the correlate package's part. Nothing here reads
// a file, a clock or the network either.
package observe
