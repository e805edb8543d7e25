// Package tape records the data on the links of a run in a file of bounded size, and reads it.
//
// # The file
//
// wire.bin begins with 64 KiB for the head: "torture wire" and a line feed, then one JSON object (a
// Meta), then zeros. A program rejects a version that it does not know. After the head come blocks of
// 32 KiB, in no order. A block belongs to one link and begins with a header, little endian:
//
//	0–3    "blok"
//	4–7    index of the link
//	8–11   number of the block in its link, from 0; one that is missing was thrown away
//	12–15  bytes of records that follow the header
//	16–19  process of the client when the block begins
//	20–23  zero
//	24–31  time of the first record, ns on the clock of the history
//
// A record is a byte, its kind, and unsigned varints (as protocol buffers have them): ns since the
// record before it, then the number of the connection twice, plus one for the direction from the
// server; then what the kind says:
//
//	1  a connection, which may have been there before; nothing follows
//	2  data came: number of the chunk in its direction, length, bytes; a long chunk takes several
//	   records of one number
//	3  a chunk went on to the receiver's socket: its number
//	4  a chunk never will: its number
//	5  one direction of a connection ended; what has not left is lost; nothing follows
//	6  the client goes on under another process number: that number
//
// # Reading order
//
// format.go, tape.go (what others see of a recording), strip.go (one link), slots.go (what is
// thrown away first); then reader.go and cursor.go.
package tape
