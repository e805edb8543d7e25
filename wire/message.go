package wire

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// A Message is one message of a protocol.
type Message struct {
	Reply  bool   // sent by a server
	Name   string // the first word: "SET", "OK"; "" if it could not be decoded
	Text   string // the rest, in one line
	Of     string // for a reply: its request, if that was seen
	Open   bool   // for a reply of MariaDB: a transaction is open after it
	More   bool   // for a reply of MariaDB: another result of the same request follows
	Veiled bool   // for a reply over HTTP: its body is in an encoding that was not decoded
	Size   int    // length in bytes
	// Control reports that the message belongs to the protocol itself and carries no data of
	// clients or servers.
	Control bool
	Raw     bool // it could not be decoded, or is part of a message that was not seen completely; Text has its bytes
}

// String returns the message in one line.
func (m Message) String() string { return strings.TrimSpace(m.Name + " " + m.Text) }

// A Decoder cuts the two directions of a connection into messages.
type Decoder interface {
	// Decode accepts data of one direction in order, and returns the messages that the data
	// completes. It keeps incomplete data. The sizes of all messages and of the kept data add up to
	// the data. It does not retain the slice.
	Decode(reply bool, data []byte) []Message
	// Gap reports that data of both directions is missing here. The decoder drops its kept data.
	Gap()
}

// longestRaw bounds the bytes of an undecoded message that are shown.
const longestRaw = 48

// RawOf returns a message with bytes that could not be decoded.
func RawOf(reply bool, data []byte) Message {
	text := strconv.Quote(string(data[:min(len(data), longestRaw)]))
	if len(data) > longestRaw {
		text += "…"
	}
	return Message{Reply: reply, Text: fmt.Sprintf("%d bytes %s", len(data), text), Size: len(data), Raw: true}
}

// longestWord bounds the bytes of a word that are shown.
const longestWord = 120

// Word returns an external text as one word of a line. It quotes an empty text and a text with
// spaces or special characters, and shortens a long one.
func Word(text string) string {
	short := text
	if len(short) > longestWord {
		short = short[:longestWord]
	}
	strange := func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar || r == '"'
	}
	if short == "" || strings.ContainsFunc(short, strange) {
		short = strconv.Quote(short)
	}
	if len(text) > longestWord {
		short += fmt.Sprintf("…(%d bytes)", len(text))
	}
	return short
}

// longestLine bounds the bytes of a text in one line that are shown.
const longestLine = 400

// Line returns an external text in one line, without unprintable characters, and shortened.
func Line(text string) string {
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)), " ")
	if len(text) > longestLine {
		text = strings.ToValidUTF8(text[:longestLine], "") + "…"
	}
	return text
}

// Mentions reports whether a message, or its request, contains a name as a whole word.
func (m Message) Mentions(name string) bool { return mentions(m.Text, name) || mentions(m.Of, name) }

func mentions(text, name string) bool {
	letter := func(b byte) bool {
		return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
	}
	for i := 0; name != ""; i++ {
		n := strings.Index(text[i:], name)
		if n < 0 {
			return false
		}
		i += n
		end := i + len(name)
		if (i == 0 || !letter(text[i-1])) && (end == len(text) || !letter(text[end])) {
			return true
		}
	}
	return false
}
