package history

import (
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends the entry as one JSON object, without a newline, in the
// form that encoding/json would give it: fields in the order of the struct,
// zero values left out. It does not allocate beyond b.
func (op *Op) AppendJSON(b []byte) []byte {
	b = append(b, `{"time":`...)
	b = strconv.AppendInt(b, op.Time, 10)
	b = append(b, `,"process":`...)
	b = strconv.AppendInt(b, int64(op.Process), 10)
	b = appendInt(b, `,"client":`, int64(op.Client))
	b = append(b, `,"type":`...)
	b = appendQuoted(b, string(op.Type))
	b = append(b, `,"f":`...)
	b = appendQuoted(b, string(op.F))
	b = appendString(b, `,"lock":`, op.Lock)
	b = appendInt(b, `,"lease":`, op.Lease)
	if op.Token != 0 {
		b = append(b, `,"token":`...)
		b = strconv.AppendUint(b, op.Token, 10)
	}
	b = appendString(b, `,"mode":`, op.Mode)
	b = appendInt(b, `,"permits":`, int64(op.Permits))
	b = appendInt(b, `,"capacity":`, int64(op.Capacity))
	b = appendInt(b, `,"parties":`, int64(op.Parties))
	b = appendInt(b, `,"until_min":`, op.UntilMin)
	b = appendInt(b, `,"until_max":`, op.UntilMax)
	b = appendString(b, `,"store":`, op.Store)
	b = appendString(b, `,"key":`, op.Key)
	b = appendString(b, `,"value":`, op.Value)
	b = appendString(b, `,"guard":`, op.Guard)
	b = appendString(b, `,"expect":`, op.Expect)
	b = appendInt(b, `,"apply":`, op.Apply)
	b = appendString(b, `,"refused":`, op.Refused)
	if op.ForRecord {
		b = append(b, `,"for_record":true`...)
	}
	b = appendString(b, `,"node":`, op.Node)
	b = appendInt(b, `,"fault":`, int64(op.Fault))
	b = appendString(b, `,"error":`, op.Error)
	b = appendString(b, `,"sum":`, op.Sum)
	b = appendTraits(b, op.Traits)
	b = appendHolds(b, op.Holds)
	return append(b, '}')
}

// appendInt appends a field with a number, and nothing for 0. name is the comma, the quoted name
// and the colon, so that no call has to build it.
func appendInt(b []byte, name string, n int64) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(append(b, name...), n, 10)
}

// appendString appends a field with a text, and nothing for "".
func appendString(b []byte, name, s string) []byte {
	if s == "" {
		return b
	}
	return appendQuoted(append(b, name...), s)
}

// hexDigits are the digits of a \u escape, in lower case as encoding/json writes them.
const hexDigits = "0123456789abcdef"

// appendQuoted writes s as a JSON string. Bytes that are not UTF-8 become the replacement
// character, as in encoding/json, so that the file stays readable whatever an error message of
// a server contains.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		}
		b = append(b, s[start:i]...)
		b = appendEscaped(b, c)
		i++
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

// appendEscaped appends the escape sequence of one byte that cannot stand in a JSON string. A byte
// of 0x80 or above reaches it only as part of invalid UTF-8.
func appendEscaped(b []byte, c byte) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(b, '\\', c)
	case c == '\n':
		return append(b, '\\', 'n')
	case c == '\r':
		return append(b, '\\', 'r')
	case c == '\t':
		return append(b, '\\', 't')
	case c >= utf8.RuneSelf:
		return append(b, "\ufffd"...)
	default:
		return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
}
