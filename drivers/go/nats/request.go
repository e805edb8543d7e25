package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"locktorture/locks/attempt"
	"locktorture/locks/nats"
)

// A last is the last message of a key. Without an owner it is the mark of a release, or of an
// expiry; without a revision there is none.
type last struct {
	nats.Record
	revision uint64
	written  time.Time // by the server's clock
}

// bucket makes the bucket, unless it is there.
func (c *client) bucket(ctx context.Context, conn *natsgo.Conn) error {
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*c.cfg.Timeout)
	defer cancel()
	_, err = js.KeyValue(ctx, c.cfg.Bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		_, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: c.cfg.Bucket, Replicas: c.cfg.Replicas, Storage: jetstream.FileStorage, LimitMarkerTTL: time.Second,
		})
	}
	if err != nil {
		return fmt.Errorf("bucket %s: %w", c.cfg.Bucket, err)
	}
	return nil
}

// put sends one message and returns its revision. The server accepts it only if the last message
// of the key has the revision after; 0 means that there is no message. A ttl of 0 never expires.
// A message without a record marks a release, as the library's Delete leaves it.
func (c *client) put(ctx context.Context, name string, record *nats.Record, after uint64, ttl time.Duration) (uint64, error) {
	conn, err := c.live()
	if err != nil {
		return 0, &attempt.NotSentError{Err: err}
	}
	js, err := jetstream.New(conn)
	if err != nil {
		return 0, &attempt.NotSentError{Err: err}
	}
	m := natsgo.NewMsg(nats.Subject(c.cfg.Bucket, name))
	if record == nil {
		m.Header.Set("KV-Operation", "DEL")
	} else if m.Data, err = json.Marshal(record); err != nil {
		return 0, &attempt.NotSentError{Err: err}
	}
	options := []jetstream.PublishOpt{jetstream.WithExpectLastSequencePerSubject(after), jetstream.WithRetryAttempts(0)}
	if ttl > 0 {
		options = append(options, jetstream.WithMsgTTL(ttl))
	}
	ack, err := js.PublishMsg(ctx, m, options...)
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

// look asks the leader of the bucket for the last message of a key: another replica may not
// have it yet.
func (c *client) look(ctx context.Context, name string) (last, error) {
	conn, err := c.live()
	if err != nil {
		return last{}, err
	}
	return look(ctx, conn, c.cfg.Bucket, nats.Subject(c.cfg.Bucket, name))
}

func look(ctx context.Context, conn *natsgo.Conn, bucket, subject string) (last, error) {
	ask, err := json.Marshal(map[string]string{"last_by_subj": subject})
	if err != nil {
		return last{}, err
	}
	answer, err := conn.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET.KV_"+bucket, ask)
	if err != nil {
		return last{}, err
	}
	var r struct {
		Error   *jetstream.APIError
		Message struct {
			Seq  uint64
			Data []byte
			Time time.Time
		}
	}
	if err := json.Unmarshal(answer.Data, &r); err != nil {
		return last{}, fmt.Errorf("read answer: %w", err)
	}
	switch {
	case r.Error != nil && r.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return last{}, nil
	case r.Error != nil:
		return last{}, r.Error
	}
	l := last{revision: r.Message.Seq, written: r.Message.Time}
	if len(r.Message.Data) == 0 {
		return l, nil
	}
	if err := json.Unmarshal(r.Message.Data, &l.Record); err != nil {
		return last{}, fmt.Errorf("record of %s: %w", subject, err)
	}
	return l, nil
}

// notSo reports whether a message was refused, because another one was the last.
func notSo(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) &&
		(refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// certain reports whether an error proves that a message was not accepted, and will not be: it
// was refused, nobody was there who takes messages for the bucket, or it was not sent.
func certain(err error) bool {
	return attempt.NotSent(err) || notSo(err) || errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, natsgo.ErrReconnectBufExceeded)
}
