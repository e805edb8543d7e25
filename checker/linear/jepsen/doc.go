// Package jepsen reads histories that Jepsen and its like recorded, as they are
// found in the wild: EDN maps or JSON objects with the keys type, process, f,
// value, time, index and error – one a line or over several lines, one after
// another or in a vector, list or array, compressed with gzip or not, with
// lines that end in LF, CRLF or CR, with a byte order mark or without.
//
// The order of the entries is the order of what happened: their places in the
// file, or :index where every entry has one. Times are for display; only a
// model of time needs them.
//
// What cannot be read is an error that names the line. Only a file that ends
// in the middle of an entry, after whole ones, is forgiven.
//
// The EDN reader is our own, a few kinds of value deep. The one library for Go
// that is complete (olympos.io/encoding/edn) has not changed since 2020. It
// overflows the stack on deep nesting, which ends the program; refuses
// ratios, ##Inf, namespaced maps, metadata and #object values, which histories
// hold in their errors; and takes the last of two equal keys without a word.
package jepsen
