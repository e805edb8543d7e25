package redis

import (
	"strings"

	"locktorture/internal/resp"
	"locktorture/wire"
)

// longestReply is the size, in bytes, after which the rest of an aggregate is not shown.
const longestReply = 1000

// text returns the text of a reply.
func text(v resp.Value) string {
	switch {
	case v.Nil:
		return "nil"
	case strings.IndexByte("*~>%|", v.Kind) >= 0:
		return elements(v)
	}
	switch v.Kind {
	case '+':
		return strings.ToValidUTF8(string(v.Text), "?")
	case '-', '!':
		return "error " + wire.Word(string(v.Text))
	case '#':
		return map[string]string{"t": "true", "f": "false"}[string(v.Text)]
	}
	return wire.Word(string(v.Text))
}

// elements returns the text of the elements of an aggregate.
func elements(v resp.Value) string {
	var b strings.Builder
	for i, e := range v.Elements {
		if b.Len() > longestReply {
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(text(e))
	}
	return "[" + b.String() + "]"
}

// first returns the first element of an aggregate, if it is a string.
func first(v resp.Value) string {
	if len(v.Elements) == 0 || v.Elements[0].Kind != '$' {
		return ""
	}
	return string(v.Elements[0].Text)
}
