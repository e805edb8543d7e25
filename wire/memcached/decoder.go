// Package memcached decodes the text protocol of memcached, with its meta commands.
//
// Source: https://github.com/memcached/memcached/blob/master/doc/protocol.txt
package memcached

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"locktorture/wire"
)

var errNotText = errors.New("not the text protocol")

const (
	longestLine  = 8 << 10
	longestValue = 128 << 20
)

// A Decoder decodes one connection.
type Decoder struct {
	wire.Base
	quiet bool // since the last mn, a command was sent that may get no reply
}

var _ wire.Decoder = (*Decoder)(nil)

// New returns a decoder for a connection at its start.
func New() *Decoder { return &Decoder{} }

// Decode implements wire.Decoder.
func (d *Decoder) Decode(reply bool, data []byte) []wire.Message {
	return d.Cut(reply, data, d.request, d.reply)
}

// line returns the words of the first line, and the length of the line.
func line(b []byte) (words []string, n int, err error) {
	end := bytes.IndexByte(b, '\n')
	switch {
	case end < 0 && len(b) <= longestLine:
		return nil, 0, wire.ErrShort
	case end < 1 || end > longestLine || b[end-1] != '\r':
		return nil, 0, errNotText
	}
	words = strings.Fields(string(b[:end]))
	strange := func(r rune) bool { return r < ' ' || r > '~' }
	if len(words) == 0 || strings.ContainsFunc(words[0], strange) {
		return nil, 0, errNotText
	}
	for i := range words {
		words[i] = wire.Word(words[i])
	}
	return words, end + 1, nil
}

// value returns the data block that follows a line, and its end.
func value(b []byte, n int, size string) (text string, end int, err error) {
	length, err := strconv.Atoi(size)
	if err != nil || length < 0 || length > longestValue {
		return "", 0, errNotText
	}
	end = n + length + 2
	if len(b) < end {
		return "", 0, wire.ErrShort
	}
	if b[end-2] != '\r' || b[end-1] != '\n' {
		return "", 0, errNotText
	}
	return wire.Word(string(b[n : n+length])), end, nil
}

func (d *Decoder) request(b []byte) (wire.Message, int, error) {
	words, n, err := line(b)
	if err != nil {
		return wire.Message{}, 0, err
	}
	m := wire.Message{Name: words[0], Text: strings.Join(words[1:], " ")}
	size := -1
	switch words[0] {
	case "set", "add", "replace", "append", "prepend", "cas":
		size = 4
	case "ms":
		size = 2
	}
	if size > 0 && len(words) > size {
		text, end, err := value(b, n, words[size])
		if err != nil {
			return m, 0, err
		}
		m.Text, n = m.Text+" = "+text, end
	}
	d.quiet = words[0] != noop && (d.quiet || quiet(words))
	if !d.quiet && words[len(words)-1] != "noreply" { // after a quiet command, nobody knows which reply is whose
		d.Pairs.Ask(m.String())
	}
	return m, n, nil
}

// noop is the meta command whose reply, MN, no other command gets. So it ends the doubt about replies.
const noop = "mn"

// quiet reports whether a meta command has the flag with which some replies are omitted.
func quiet(words []string) bool {
	return slices.Contains([]string{"mg", "ms", "md", "ma", "me"}, words[0]) && slices.Contains(words[min(2, len(words)):], "q")
}

// answered returns the request of a reply that starts with this word. Replies to requests after a quiet
// one have none, until the reply to mn.
func (d *Decoder) answered(word string) string {
	if asked, _, _ := strings.Cut(d.Pairs.Next(), " "); asked == noop && word != "MN" {
		return ""
	}
	return d.Pairs.Answered()
}

func (d *Decoder) reply(b []byte) (wire.Message, int, error) {
	var out []string
	for n := 0; ; {
		if n == len(b) {
			return wire.Message{}, 0, wire.ErrShort
		}
		words, took, err := line(b[n:])
		if err != nil {
			return wire.Message{}, 0, err
		}
		more, size := slices.Contains([]string{"VALUE", "STAT"}, words[0]), ""
		switch {
		case words[0] == "VALUE" && len(words) >= 4:
			size = words[3]
		case words[0] == "VA" && len(words) >= 2:
			size = words[1]
		}
		text := strings.Join(words, " ")
		if size != "" {
			data, end, err := value(b[n:], took, size)
			if err != nil {
				return wire.Message{}, 0, err
			}
			text, took = text+" = "+data, end
		}
		n += took
		if out = append(out, text); !more {
			return wire.Message{Name: strings.Join(out, ", "), Of: d.answered(words[0])}, n, nil
		}
	}
}
