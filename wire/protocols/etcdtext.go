package protocols

import (
	"fmt"
	"sort"
	"strings"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"locktorture/wire"
)

// etcdText returns the text of a message of etcd. A message of an unknown service is shown as its
// bytes.
func etcdText(method string, reply bool, b []byte) string {
	m := typeOf(method, reply)
	if m == nil || proto.Unmarshal(b, m) != nil {
		return wire.RawOf(reply, b).Text
	}
	if text := words(m.ProtoReflect()); text != "" {
		return text
	}
	return "{}"
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

// longestText bounds the bytes of a message that are shown.
const longestText = 600

// words returns the fields of a message that are set, in the order of their numbers.
func words(m protoreflect.Message) string {
	text := fields(m)
	if len(text) > longestText {
		text = strings.ToValidUTF8(text[:longestText], "") + "…"
	}
	return text
}

func fields(m protoreflect.Message) string {
	type field struct {
		number int
		text   string
	}
	var all []field
	m.Range(func(d protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		name := string(d.Name())
		switch {
		case name == "header": // part of every reply
			all = append(all, field{int(d.Number()), fmt.Sprintf("rev=%d", v.Message().Get(v.Message().Descriptor().Fields().ByName("revision")).Int())})
		case d.IsList():
			var parts []string
			for i := range v.List().Len() {
				parts = append(parts, value(d, v.List().Get(i)))
			}
			all = append(all, field{int(d.Number()), name + "=[" + strings.Join(parts, " ") + "]"})
		case d.IsMap():
		default:
			all = append(all, field{int(d.Number()), name + "=" + value(d, v)})
		}
		return true
	})
	sort.Slice(all, func(i, j int) bool { return all[i].number < all[j].number })
	var parts []string
	for _, f := range all {
		parts = append(parts, f.text)
	}
	return strings.Join(parts, " ")
}

func value(d protoreflect.FieldDescriptor, v protoreflect.Value) string {
	switch d.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return "{" + fields(v.Message()) + "}"
	case protoreflect.BytesKind:
		return wire.Word(string(v.Bytes()))
	case protoreflect.StringKind:
		return wire.Word(v.String())
	case protoreflect.EnumKind:
		if e := d.Enum().Values().ByNumber(v.Enum()); e != nil {
			return string(e.Name())
		}
		return fmt.Sprint(v.Enum())
	}
	return v.String()
}
