package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"locktorture/checker/linear/jepsen"
	"locktorture/history"
	"locktorture/report"
)

// EDN writes the history as Jepsen does: one map a line, with :index, :time (ns), :type,
// :process, :f, :value and :error. All that our entries have besides stands under :torture, by
// the names of docs/history.md, so that nothing is lost and jepsen.ReadOurs gives the same
// entries back. The first map is a remark of the nemesis that holds run.json.
//
// Functions that Jepsen's models do not know (ask, probe, lost) are events for them to leave
// out. Locks have names: the :value of a call is the lock's. A key of a store is an
// independent key, [key value]. A fault is :start-KIND and its heal :stop-KIND, of the process
// :nemesis, as are all events that nobody invoked.
func EDN(w io.Writer, run report.Run, src history.Source) error {
	head, err := json.Marshal(run)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	b := []byte("{:index 0, :time 0, :type :info, :process :nemesis, :f :" + jepsen.OursF + ", :value ")
	if _, err := out.Write(append(appendString(b, string(head)), '}', '\n')); err != nil {
		return err
	}
	index := 0
	err = src.Each(func(op *history.Op) error {
		index++
		b, err := appendEntry(b[:0], op, index)
		if err != nil {
			return err
		}
		_, err = out.Write(append(b, '\n'))
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

func appendEntry(b []byte, op *history.Op, index int) ([]byte, error) {
	b = fmt.Appendf(b, "{:index %d, :time %d, :type :%s, :process %s, :f :%s", index, op.Time, op.Type, process(op), function(op))
	b = appendValue(append(b, ", :value "...), op)
	if op.Error != "" {
		b = appendString(append(b, ", :error "...), op.Error)
	}
	b = append(b, ", :torture "...)
	own, err := appendOwn(b, op)
	return append(own, '}'), err
}

// process returns a client's number; the harness works on stores as a client does.
func process(op *history.Op) string {
	if op.Process == history.Nemesis || op.F.Event() {
		return ":nemesis"
	}
	return strconv.Itoa(op.Process)
}

func function(op *history.Op) string {
	switch op.F {
	case history.Fault:
		return "start-" + keyword(op.Kind())
	case history.Heal:
		return "stop-" + keyword(op.Kind())
	}
	return string(op.F)
}

// keyword makes a name of a fault part of a keyword.
func keyword(name string) string {
	return string(bytes.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, []byte(name)))
}

func appendValue(b []byte, op *history.Op) []byte {
	switch op.F {
	case history.Read, history.Write, history.CAS:
		b = appendString(append(b, '['), op.Store+" "+op.Key)
		b = append(b, ' ')
		if op.F == history.CAS {
			b = appendOr(append(b, '['), op.Expect)
			b = append(appendOr(append(b, ' '), op.Value), ']')
		} else {
			b = appendOr(b, op.Value)
		}
		return append(b, ']')
	case history.Fault, history.Heal, history.End, history.Probe:
		return appendOr(b, op.Value)
	}
	return appendOr(b, op.Lock)
}

// appendOr appends a string, and nil for want of one.
func appendOr(b []byte, s string) []byte {
	if s == "" {
		return append(b, "nil"...)
	}
	return appendString(b, s)
}

// appendOwn appends what JSON has of the entry as a map of EDN, but for what stands outside of
// it.
func appendOwn(b []byte, op *history.Op) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(op.AppendJSON(nil)))
	d.UseNumber()
	var own map[string]any
	if err := d.Decode(&own); err != nil {
		return b, fmt.Errorf("export: %w", err)
	}
	for _, outside := range []string{"time", "type", "error"} {
		delete(own, outside)
	}
	return appendJSON(b, own), nil
}

// appendJSON appends a value of JSON.
func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		b = append(b, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendJSON(append(b, ":"+name+" "...), v[name])
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ' ')
			}
			b = appendJSON(b, item)
		}
		return append(b, ']')
	case string:
		return appendString(b, v)
	}
	return fmt.Append(b, v) // a number, true, false
}

// appendString appends a string of EDN. What is no UTF-8 becomes the replacement character.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < 0x20 || r == 0x7f:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
