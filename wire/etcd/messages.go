package etcd

import (
	"encoding/binary"
	"fmt"
	"path"
	"strings"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

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
		texts = append(texts, s.text(reply, kept[grpcHead:grpcHead+n], kept[0] == 1))
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

// text returns the text of a message. A message of an unknown service is shown as its bytes.
func (s *stream) text(reply bool, b []byte, compressed bool) string {
	m := typeOf(s.method, reply)
	if m == nil || compressed || proto.Unmarshal(b, m) != nil {
		return wire.RawOf(reply, b).Text
	}
	text := words(m.ProtoReflect())
	if text == "" {
		return "{}"
	}
	return text
}

// typeOf returns an empty message of the request or reply type of a method, or nil if the method is
// unknown.
func typeOf(method string, reply bool) proto.Message {
	service, name, ok := strings.Cut(strings.TrimPrefix(method, "/"), "/")
	pkg, service, dotted := strings.Cut(service, ".")
	if !ok || !dotted || pkg != "etcdserverpb" {
		return nil
	}
	of := etcdserverpb.File_rpc_proto.Services().ByName(protoreflect.Name(service))
	if of == nil {
		return nil
	}
	m := of.Methods().ByName(protoreflect.Name(name))
	if m == nil {
		return nil
	}
	kind := m.Input()
	if reply {
		kind = m.Output()
	}
	found, err := protoregistry.GlobalTypes.FindMessageByName(kind.FullName())
	if err != nil {
		return nil
	}
	return found.New().Interface()
}
