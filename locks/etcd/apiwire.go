package etcd

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
)

// The messages of the lock service are encoded by hand, because their Go package is part of the
// server.
//
//	LockRequest    { bytes name = 1; int64 lease = 2 }
//	LockResponse   { ResponseHeader header = 1; bytes key = 2 }
//	UnlockRequest  { bytes key = 1 }
//	ResponseHeader { …; int64 revision = 3; … }

// callLock calls Lock. It returns the key and the revision of the grant.
func callLock(ctx context.Context, c *grpc.ClientConn, name string, lease int64) (key []byte, revision int64, err error) {
	var req []byte
	req = protowire.AppendTag(req, 1, protowire.BytesType)
	req = protowire.AppendBytes(req, []byte(name))
	req = protowire.AppendTag(req, 2, protowire.VarintType)
	req = protowire.AppendVarint(req, uint64(lease))
	var reply []byte
	if err := c.Invoke(ctx, "/v3lockpb.Lock/Lock", &req, &reply, grpc.ForceCodecV2(raw{})); err != nil {
		return nil, 0, err
	}
	header, _, err := field(reply, 1)
	if err != nil {
		return nil, 0, err
	}
	if key, _, err = field(reply, 2); err != nil {
		return nil, 0, err
	}
	_, n, err := field(header, 3)
	return key, int64(n), err
}

// callUnlock calls Unlock.
func callUnlock(ctx context.Context, c *grpc.ClientConn, key []byte) error {
	var req, reply []byte
	req = protowire.AppendTag(req, 1, protowire.BytesType)
	req = protowire.AppendBytes(req, key)
	return c.Invoke(ctx, "/v3lockpb.Lock/Unlock", &req, &reply, grpc.ForceCodecV2(raw{}))
}

// field returns the bytes or the number of one field of an encoded message.
func field(message []byte, want protowire.Number) (data []byte, number uint64, err error) {
	for len(message) > 0 {
		num, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil, 0, fmt.Errorf("answer of the lock service: %w", protowire.ParseError(n))
		}
		message = message[n:]
		size := protowire.ConsumeFieldValue(num, kind, message)
		if size < 0 {
			return nil, 0, fmt.Errorf("answer of the lock service: %w", protowire.ParseError(size))
		}
		if num == want && kind == protowire.BytesType {
			data, _ = protowire.ConsumeBytes(message)
			return data, 0, nil
		}
		if num == want && kind == protowire.VarintType {
			number, _ = protowire.ConsumeVarint(message)
			return nil, number, nil
		}
		message = message[size:]
	}
	return nil, 0, fmt.Errorf("answer of the lock service has no field %d", want)
}

// raw is a gRPC codec for messages that are already encoded.
type raw struct{}

// Marshal returns the bytes of v, which must be a *[]byte.
func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

// Unmarshal stores the bytes in v, which must be a *[]byte.
func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

// Name returns "proto", the codec that etcd's server expects.
func (raw) Name() string { return "proto" }
