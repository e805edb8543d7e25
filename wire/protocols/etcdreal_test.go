package protocols_test

import (
	"testing"

	"locktorture/wire"
	"locktorture/wire/protocols"
	"locktorture/wire/wiretest"
)

func etcdDecoder() wire.Decoder { return protocols.New(nil).For("etcd") }

// TestEtcdReal decodes what an etcd and its client said in a short run.
func TestEtcdReal(t *testing.T) { wiretest.Golden(t, etcdDecoder) }

func FuzzEtcd(f *testing.F) { wiretest.Fuzz(f, etcdDecoder) }
