package etcd

import (
	"fmt"
	"sort"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"locktorture/wire"
)

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
