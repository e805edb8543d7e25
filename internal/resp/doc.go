// Package resp reads RESP, the protocol of Redis, in both of its versions: how many bytes a command
// or a reply takes, and what stands in it. Nobody else in this module takes RESP apart.
//
// Source: https://redis.io/docs/latest/develop/reference/protocol-spec/
package resp
