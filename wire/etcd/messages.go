package etcd

import (
	"encoding/binary"
	"fmt"
	"path"
	"strings"

	"locktorture/wire"
)

// grpcHead is the size of the header of a message: a flag for compression, and the length.
const grpcHead = 5

// data adds data to the messages of a call.
func (d *Decoder) data(reply bool, id uint32, data []byte, ended bool) wire.Message {
	s := d.streams[id]
	defer d.over(reply, id, ended)
	switch {
	case s == nil:
		m := wire.RawOf(reply, data)
		m.Control = len(data) == 0
		return m
	case strings.HasPrefix(s.method, "/etcdserverpb.Auth/"): // these contain passwords and tokens
		s.asked = path.Base(s.method)
		return wire.Message{Name: s.asked, Text: fmt.Sprintf("(%d bytes)", len(data))}
	}
	kept := append(s.kept[index(reply)], data...)
	var texts []string
	for len(kept) >= grpcHead {
		n := int(binary.BigEndian.Uint32(kept[1:]))
		if len(kept)-grpcHead < n {
			break
		}
		texts = append(texts, d.textOf(s.method, reply, kept[grpcHead:grpcHead+n], kept[0] == 1))
		kept = kept[grpcHead+n:]
	}
	if len(kept) > longestKept {
		kept = nil
	}
	s.kept[index(reply)] = kept
	name := path.Base(s.method)
	m := wire.Message{Name: name, Text: strings.Join(texts, "; "), Control: len(texts) == 0}
	if reply {
		m.Of = s.asked
	} else if len(texts) > 0 {
		s.asked = m.String()
	}
	return m
}

// longestKept bounds an incomplete message, in bytes.
const longestKept = 16 << 20

// textOf returns the text of a message. A compressed message is shown as its bytes.
func (d *Decoder) textOf(method string, reply bool, b []byte, compressed bool) string {
	if compressed {
		return wire.RawOf(reply, b).Text
	}
	return d.text(method, reply, b)
}
