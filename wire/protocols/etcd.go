package protocols

import (
	"locktorture/wire"
	"locktorture/wire/etcd"
	"locktorture/wire/frame"
	"locktorture/wire/http1"
)

// An etcdDecoder decodes a connection to etcd: gRPC, or the HTTP gateway.
type etcdDecoder struct {
	start   frame.EtcdStart
	gap     bool         // data is missing before the first that came
	decoder wire.Decoder // nil while the protocol is not known
}

// Decode implements wire.Decoder.
func (d *etcdDecoder) Decode(reply bool, data []byte) []wire.Message {
	if data = d.start.Take(reply, data); len(data) == 0 {
		return nil
	}
	if d.decoder == nil {
		if d.decoder = etcd.New(etcdText); d.start.HTTP1 {
			d.decoder = http1.Gateway()
		}
		if d.gap {
			d.decoder.Gap()
		}
	}
	return d.decoder.Decode(reply, data)
}

// Gap implements wire.Decoder.
func (d *etcdDecoder) Gap() {
	if d.gap = true; d.decoder != nil {
		d.decoder.Gap()
		return
	}
	d.start = frame.EtcdStart{}
}
