// Package redis decodes the traffic of Redis, Sentinel and Valkey: RESP 2 and 3, with pipelines,
// transactions, pushes and inline commands.
//
// # Reading order
//
// decoder.go, request.go, value.go (replies), scripts.go.
//
// Source: https://redis.io/docs/latest/develop/reference/protocol-spec/
package redis
