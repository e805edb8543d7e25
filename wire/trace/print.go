package trace

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Text prints a row as one line:
//
//	1.623411 s  c2/7 → redis-3  #12  SET torture:seckill 81-2 NX PX 2000
//	1.623702 s  c2/7 ← redis-3  #12  OK  to SET torture:seckill 81-2 NX PX 2000
func Text(w io.Writer, r Row) error {
	arrow := "→"
	if r.Reply {
		arrow = "←"
	}
	_, err := fmt.Fprintf(w, "%11.6f s  %-5s %s %-11s %-5s %s\n", seconds(r.Time), r.who(), arrow, r.node(), fmt.Sprintf("#%d", r.Conn), r.what())
	return err
}

func seconds(ns int64) float64 { return time.Duration(ns).Seconds() }

// who returns the party that opened the connection: a client with its process, or a node.
func (r Row) who() string {
	if r.Client == 0 {
		return shown(r.From)
	}
	return fmt.Sprintf("c%d/%d", r.Client, r.Process)
}

func (r Row) node() string {
	if r.Node == "" {
		return "primary"
	}
	return shown(r.Node)
}

// shown returns a name in a form that is safe for a terminal, because the tape may stem from a
// stranger.
func shown(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) || r == utf8.RuneError }) {
		return strconv.QuoteToGraphic(name)
	}
	return name
}

// visible is the time in the proxy above which it is printed.
const visible = 500 * time.Microsecond

func (r Row) what() string {
	text := r.Text
	if r.Of != "" {
		text += "  to " + r.Of
	}
	if r.Try > 0 {
		text += fmt.Sprintf("  (try %d of %d)", r.Try, r.Tries)
	}
	stayed := time.Duration(r.Left - r.Time)
	switch r.Event {
	case Connected:
		return "(connects)"
	case Ended:
		if r.Reply {
			return "(the server's side ends)"
		}
		return "(the client's side ends)"
	case Missing:
		return "(something is missing here: the recording is bounded)"
	case Later:
		return fmt.Sprintf("%s  [goes on, %.1f ms after it came]", text, ms(r.Time-r.Came))
	case Lost:
		return fmt.Sprintf("%s  [lost, %.1f ms after it came]", text, ms(r.Time-r.Came))
	}
	switch {
	case r.Lost:
		return text + "  [lost]"
	case r.Left == 0:
		return text + "  [stays in the proxy]"
	case stayed >= visible:
		return fmt.Sprintf("%s  [%.1f ms]", text, ms(int64(stayed)))
	}
	return text
}

func ms(ns int64) float64 { return float64(ns) / 1e6 }

// JSON prints a row as one line of JSON.
func JSON(w io.Writer, r Row) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
