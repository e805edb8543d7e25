package wire

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// A Message is one message of a protocol.
type Message struct {
	Reply bool   // of a server
	Name  string // its first word: "SET", "OK"; "" if it could not be decoded
	Text  string // the rest of it, in one line
	Of    string // a reply: the request that it answers, if that was seen
	Size  int    // bytes that it took
	// Control tells that it only serves the protocol: it carries nothing of clients and
	// servers.
	Control bool
	Raw     bool // it could not be decoded, or is part of one that was not seen whole; Text has its bytes
}

// String returns the message in one line.
func (m Message) String() string { return strings.TrimSpace(m.Name + " " + m.Text) }

// A Decoder cuts the two directions of a connection into messages.
type Decoder interface {
	// Decode is given the data of one direction in order, and returns the messages that are
	// complete with it. What is incomplete is kept. The sizes of all messages, and what is
	// kept, add up to the data. It does not keep data.
	Decode(reply bool, data []byte) []Message
	// Gap says that data of both directions is missing here. What was kept is forgotten.
	Gap()
}

// longestRaw is how many bytes of a message that was not decoded are shown.
const longestRaw = 48

// RawOf returns a message of bytes that could not be decoded.
func RawOf(reply bool, data []byte) Message {
	text := strconv.Quote(string(data[:min(len(data), longestRaw)]))
	if len(data) > longestRaw {
		text += "…"
	}
	return Message{Reply: reply, Text: fmt.Sprintf("%d bytes %s", len(data), text), Size: len(data), Raw: true}
}

// longestWord is how many bytes of a word are shown.
const longestWord = 120

// Word returns a text of somebody else's as one word of a line: quoted if it is empty or has
// spaces or strange characters, and shortened.
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

// longestLine is how many bytes of a text in one line are shown.
const longestLine = 400

// Line returns a text of somebody else's in one line, without what cannot be printed, and
// shortened.
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

// Mentions reports whether a message, or the request that it answers, has a name as a whole
// word.
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
